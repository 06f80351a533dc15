import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Response = ServerResponse<IncomingMessage>;

/**
 * What is still being answered on a connection, or still being sent to it. Three members instead of
 * a set: a set through which every request passes keeps parts of its former tables, and with them
 * requests that have long been answered (see `PassingMap`).
 */
interface Line {
  last: Response | null;
  beforeLast: Response | null;
  /** The last one that may change something. */
  unsafe: Response | null;
}

const nobody: Readonly<Line> = { last: null, beforeLast: null, unsafe: null };

/**
 * The order of requests that a caller sends on one connection without waiting for answers. By RFC
 * 9112 only safe ones may be handled beside each other: a payment behind the revocation of its
 * mandate must not be decided before it.
 */
export class Turns {
  readonly #lines = new WeakMap<Socket, Line>();

  /** Handles a request once it is its turn, at once if nothing is before it. */
  take(response: Response, handle: () => void): void {
    const { socket } = response.req;
    const line = this.#lineOf(socket);
    const safe = isSafe(response);
    const ahead = safe && line.unsafe === null ? null : line.last;
    line.beforeLast = line.last;
    line.last = response;
    if (!safe) line.unsafe = response;
    response.once('close', () => leave(line, response));
    // An answer before it may have ended the connection, or one that says it is too late itself.
    afterwards(ahead, () => socket.writable && handle());
  }

  underWay(socket: Socket): Pick<Line, 'last' | 'beforeLast'> {
    return this.#lines.get(socket) ?? nobody;
  }

  #lineOf(socket: Socket): Line {
    const known = this.#lines.get(socket);
    if (known !== undefined) return known;
    const line = { ...nobody };
    this.#lines.set(socket, line);
    return line;
  }
}

function leave(line: Line, response: Response): void {
  if (line.unsafe === response) line.unsafe = null;
  if (line.beforeLast === response) line.beforeLast = null;
  // Of one that was answered before its body had arrived, the rest may still be unreadable.
  if (line.last === response && response.req.complete) line.last = null;
}

function isSafe({ req }: Response): boolean {
  return req.method === 'GET' || req.method === 'HEAD';
}

/** Once an answer has been sent, or can no longer be. */
export function afterwards(response: Response | null, next: () => void): void {
  if (response === null || response.closed) next();
  else response.once('close', next);
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Response = ServerResponse<IncomingMessage>;

/** So many requests of a connection wait for their turn; then no more are read for now. */
const maxWaiting = 16;

/**
 * What is still being answered on a connection, or still being sent to it. Two members instead of
 * a set: a set through which every request passes keeps parts of its former tables, and with them
 * requests that have long been answered (see `PassingMap`).
 */
interface Line {
  last: Response | null;
  beforeLast: Response | null;
}

const nobody: Readonly<Line> = { last: null, beforeLast: null };

/**
 * The order of requests that a caller sends on one connection without waiting for answers. Each is
 * handled once the one before it has been answered: a payment behind the revocation of its mandate
 * must not be decided before it, and answers that nobody reads would pile up.
 */
export class Turns {
  readonly #lines = new WeakMap<Socket, Line>();

  /** Handles a request once it is its turn, at once if nothing is before it. */
  take(response: Response, handle: () => void): void {
    const { socket } = response.req;
    const line = this.#lineOf(socket);
    const ahead = line.last;
    line.beforeLast = ahead;
    line.last = response;
    response.once('close', () => leave(line, response));
    if (ahead === null || ahead.closed) {
      handle();
      return;
    }
    countPending(response, 1);
    ahead.once('close', () => {
      // Answers before it may have ended the connection, or one that says it is too late itself.
      if (!socket.writable) return;
      countPending(response, -1);
      handle();
    });
  }

  underWay(socket: Socket): Line {
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
  if (line.beforeLast === response) line.beforeLast = null;
  // Of one that was answered before its body had arrived, the rest may still be unreadable.
  if (line.last === response && response.req.complete) line.last = null;
}

/**
 * Node stops reading from a connection while so much waits to be sent on it as fits into the buffer
 * of its socket, and goes on once less does. A request that waits counts as a part of that, by what
 * Node calls for the answers that wait; it has no documentation of this.
 */
function countPending(response: Response, requests: 1 | -1): void {
  const { writableHighWaterMark } = response.req.socket;
  const { _onPendingData: count } = response as unknown as Pending;
  count(requests * Math.ceil(writableHighWaterMark / maxWaiting));
}

interface Pending {
  _onPendingData(bytes: number): void;
}

/** Once an answer has been sent, or can no longer be. */
export function afterwards(response: Response | null, next: () => void): void {
  if (response === null || response.closed) next();
  else response.once('close', next);
}

import { METHODS, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { platformEnvelope } from '../errors/platform-envelope.js';
import { requestIdOf } from './request-id.js';
import { securityHeaders } from './security-headers.js';
import { afterwards, type Turns } from './turns.js';

/** Time for a sender to read the answer, before what it still sends causes a reset. */
const lingerMs = 1_000;

const tooLate = 'ERR_HTTP_REQUEST_TIMEOUT';
const failures: Record<string, readonly [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  [tooLate]: [408, 'The request did not arrive in time.'],
  CONNECT: [405, 'CONNECT is not a method of any path.'],
};
const invalid = [400, 'This is not a valid HTTP request.'] as const;
const otherMethod = [405, 'No path has this method.'] as const;
const requestLine = /^([A-Z]+) \S+ HTTP\/1\.[01]\r\n/;

type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** A method that Node's parser does not know; the packet may begin with a request before it. */
function failureOf({ code = '', rawPacket }: ParseError): readonly [number, string] {
  if (code !== 'HPE_INVALID_METHOD') return failures[code] ?? invalid;
  const [, method] = requestLine.exec(rawPacket?.toString('latin1') ?? '') ?? [];
  return method !== undefined && !METHODS.includes(method) ? otherMethod : invalid;
}

/**
 * Answers what could not be parsed as HTTP in the usual envelope; there is no request object. It
 * takes its turn: a caller may have sent it behind requests that are still being answered, and
 * would take this answer for theirs.
 */
export class UnreadableRequests {
  readonly #baseUrl: string;
  readonly #turns: Turns;
  readonly #failed = new WeakSet<Socket>();

  constructor(baseUrl: string, turns: Turns) {
    this.#baseUrl = baseUrl;
    this.#turns = turns;
  }

  /** Node hands over the bare connection of a CONNECT. */
  refuseConnect(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    this.answer(Object.assign(new Error('CONNECT'), { code: 'CONNECT' }), socket);
  }

  answer(error: ParseError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // It was sent in time, behind others, and not read: its caller waits for those (`turns.ts`).
    if (error.code === tooLate && socket.isPaused()) return;
    // Whatever follows a request with `Connection: close` has to be ignored, by RFC 9112.
    if (error.code === 'HPE_CLOSED_CONNECTION' || this.#failed.has(socket)) return;
    this.#failed.add(socket);
    // Opened ahead and never used: whoever uses it next would take an answer for that of a request.
    if (error.code === tooLate && socket.bytesRead === 0) {
      end(socket);
      return;
    }
    this.#answerInTurn(error, socket);
  }

  #answerInTurn(error: ParseError, socket: Socket): void {
    const { last, beforeLast } = this.#turns.underWay(socket);
    // Either the body of the last request is unreadable, or something new behind it.
    const unread = last?.req.complete === false ? last : null;
    afterwards(unread ? beforeLast : last, () => {
      // Its answer did not have to wait for the body.
      if (unread?.headersSent) afterwards(unread, () => end(socket));
      else end(socket, this.#answerTo(error));
    });
  }

  #answerTo(error: ParseError): string {
    const [status, message] = failureOf(error);
    const requestId = requestIdOf(undefined);
    const failure = { status, code: status === 400 ? 'BAD_REQUEST' : 'ERROR', message };
    const body = JSON.stringify(
      platformEnvelope(
        { ...failure, errors: [], headers: {} },
        { requestId, baseUrl: this.#baseUrl, route: undefined },
      ),
    );
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...Object.entries(securityHeaders()).map(([name, value]) => `${name}: ${value}`),
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-ID: ${requestId}`,
      ...(status === 405 ? ['Allow: '] : []),
      'Connection: close',
    ];
    return `${head.join('\r\n')}\r\n\r\n${body}`;
  }
}

function end(socket: Socket, text = ''): void {
  if (!socket.writable) return;
  socket.end(text);
  // Otherwise a sender that keeps its side open would keep the connection for ever.
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}

import { connect, type Socket } from 'node:net';

/** The only parts of a response that are parsed; more would make the generator the bottleneck. */
export type Answered = (status: number, body: Buffer) => void;

const headerEnd = Buffer.from('\r\n\r\n');
const nothing = Buffer.alloc(0);
const maxHeaderBytes = 16_384;

/**
 * A keep-alive connection that sends prepared bytes, one request at a time. A library that parses
 * every header costs several times as much CPU, which the measured processes need.
 */
export class Wire {
  readonly #socket: Socket;
  #buffered: Buffer = nothing;
  #answered: Answered | null = null;
  #broken: (error: Error) => void;

  private constructor(socket: Socket, broken: (error: Error) => void) {
    this.#socket = socket;
    this.#broken = broken;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#broken(error));
    socket.on('close', () => this.#broken(new Error('the server closed a connection')));
  }

  static open(port: number, broken: (error: Error) => void): Promise<Wire> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Wire(socket, broken));
      });
    });
  }

  send(request: Buffer, answered: Answered): void {
    this.#answered = answered;
    this.#socket.write(request);
  }

  close(): void {
    this.#broken = () => {};
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const bytes = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    const headers = bytes.indexOf(headerEnd);
    if (headers < 0) {
      if (bytes.length > maxHeaderBytes) this.#socket.destroy(new Error('headers without an end'));
      this.#buffered = bytes;
      return;
    }
    const start = headers + headerEnd.length;
    const text = bytes.toString('latin1', 0, headers);
    const length = /\ncontent-length: *(\d+)/i.exec(text)?.[1];
    if (length === undefined) {
      this.#socket.destroy(new Error('an answer without a length'));
      return;
    }
    const end = start + Number(length);
    if (bytes.length < end) {
      this.#buffered = bytes;
      return;
    }
    this.#buffered = nothing;
    const answered = this.#answered;
    this.#answered = null;
    answered?.(Number(text.slice(9, 12)), bytes.subarray(start, end));
  }
}

import { connect, createServer, type Server, type Socket } from 'node:net';

interface Options {
  /** The server to which connections are led unless they are refused. */
  target?: string;
  /** Whether the login is refused. */
  refuses?: boolean;
}

/**
 * Stands in front of a NATS server, or for one: refuses logins while `refuses` is set, as a server
 * does that is being reconfigured. Without a server behind it, it answers as one that has no
 * streams, and keeps what the client said of itself.
 */
export class NatsFront {
  readonly logins: Array<Record<string, unknown>> = [];
  refuses: boolean;
  /** How late what the server says is handed on. */
  delayMs = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async open({ target, refuses = false }: Options = {}): Promise<NatsFront> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new NatsFront(server, refuses, target);
  }

  private constructor(server: Server, refuses: boolean, target: string | undefined) {
    this.refuses = refuses;
    this.#server = server;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
      if (target !== undefined && !this.refuses) this.#lead(socket, new URL(target));
      else this.#answer(socket);
    });
  }

  /** `host:port`. */
  get host(): string {
    const address = this.#server.address();
    return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #lead(near: Socket, { hostname, port }: URL): void {
    const far = connect(Number(port), hostname);
    far.on('error', () => {}).on('close', () => near.destroy());
    near.on('close', () => far.destroy());
    near.pipe(far);
    far.on('data', (bytes) => setTimeout(() => near.write(bytes), this.delayMs));
  }

  #answer(socket: Socket): void {
    const info = { server_id: 'x', version: '2.10.0', proto: 1, max_payload: 65_536, nonce: 'n' };
    socket.write(`INFO ${JSON.stringify({ ...info, headers: true, auth_required: true })}\r\n`);
    socket.on('data', (bytes) => {
      for (const line of bytes.toString().split('\r\n')) {
        if (line.startsWith('CONNECT ')) this.logins.push(JSON.parse(line.slice(8)));
        if (line !== 'PING') continue;
        socket.write(this.refuses ? "-ERR 'Authorization Violation'\r\n" : 'PONG\r\n');
        if (this.refuses) socket.end();
      }
    });
  }
}

import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of a server that a test can cut and restore. */
export class Wire {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cut = false;
  #silent = false;

  static async to(target: string): Promise<Wire> {
    const { hostname, port } = new URL(target);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Wire(server, target, { hostname, port: Number(port) });
  }

  private constructor(
    server: Server,
    target: string,
    { hostname, port }: { hostname: string; port: number },
  ) {
    const url = new URL(target);
    const address = server.address();
    url.hostname = '127.0.0.1';
    url.port = String(typeof address === 'object' ? address?.port : '');
    this.url = url.toString();
    this.#server = server;
    server.on('connection', (near) => {
      if (this.#cut) {
        near.destroy();
        return;
      }
      const far = connect(port, hostname);
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket
          .on('error', () => {})
          .on('close', () => {
            near.destroy();
            far.destroy();
            this.#sockets.delete(socket);
          });
      }
      near.pipe(far).pipe(near);
      if (this.#silent) for (const socket of [near, far]) socket.pause();
    });
  }

  cut(): void {
    this.#cut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Silently drops all traffic, without closing connections. */
  hold(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  /** Silently drops the traffic of one connection, and closes the others. */
  holdOne(): void {
    const [near, far, ...others] = this.#sockets;
    if (!near || !far) throw new Error('there is no connection');
    near.pause();
    far.pause();
    for (const socket of others) socket.destroy();
  }

  /** The same as `hold`, also for connections that are opened from now on. */
  silence(): void {
    this.#silent = true;
    this.hold();
  }

  mend(): void {
    this.#cut = false;
    this.#silent = false;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

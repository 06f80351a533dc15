import { createServer } from 'node:net';

/**
 * Below the range from which systems take ports for outgoing connections: a service that is down
 * for a moment must not find its port lent to a connection when it comes back.
 */
const firstPort = 20_000;
const portCount = 12_000;
const blockSize = 40;

/**
 * Free ports of 127.0.0.1, out of blocks that this process alone takes from. Whoever uses a block
 * listens on its first port until the process ends: between a look at a port and its use two runs
 * could otherwise choose the same.
 */
export class PortPicker {
  #next = (process.pid * blockSize) % portCount;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * One after the other, however the one before ended: whether a block may be taken from is known
   * before its ports are.
   */
  pick(): Promise<number> {
    const next = (): Promise<number> => this.#pick();
    const mine = this.#last.then(next, next);
    this.#last = mine;
    return mine;
  }

  async #pick(): Promise<number> {
    for (let tried = 0; tried < portCount; tried += 1) {
      const offset = this.#next++ % portCount;
      const port = firstPort + offset;
      if (offset % blockSize === 0) {
        if (!(await listens(port))) this.#next += blockSize - 1;
      } else if (await isFree(port, '127.0.0.1')) return port;
    }
    throw new Error(`no free port from ${firstPort} to ${firstPort + portCount - 1}`);
  }
}

/** False where somebody listens already; keeps no process from ending. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().unref();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
}

/** Whether a server could listen there now; without a host, on all addresses. */
export function isFree(port: number, host?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

import { createServer } from 'node:net';

/**
 * Below the ephemeral port range: a service that restarts must not find its port used by an
 * outgoing connection.
 */
const firstPort = 20_000;
const portCount = 12_000;
const blockSize = 40;

/**
 * Free ports of 127.0.0.1, from blocks reserved for this process. A process reserves a block by
 * listening on its first port until it ends; otherwise two runs could choose the same port between
 * the check and its use.
 */
export class PortPicker {
  #next = (process.pid * blockSize) % portCount;
  #last: Promise<unknown> = Promise.resolve();

  /** Sequential, even after a failure: a block must be reserved before its ports are used. */
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

/** False if another process is listening; does not keep this process alive. */
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

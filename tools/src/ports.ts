import { createServer } from 'node:net';

/**
 * Below the range from which systems take ports for outgoing connections: a service that is down
 * for a moment must not find its port lent to a connection when it comes back.
 */
const firstPort = 20_000;
const portCount = 12_000;
const blockSize = 40;

/**
 * Free ports of 127.0.0.1. Each process looks in a block of its own first, so that two runs that
 * start in the same moment do not choose the same port before either has bound it.
 */
export class PortPicker {
  #next = (process.pid * blockSize) % portCount;

  async pick(): Promise<number> {
    for (let tried = 0; tried < portCount; tried += 1) {
      const port = firstPort + (this.#next++ % portCount);
      if (await isFree(port, '127.0.0.1')) return port;
    }
    throw new Error(`no free port from ${firstPort} to ${firstPort + portCount - 1}`);
  }
}

/** Whether a server could listen there now; without a host, on all addresses. */
export function isFree(port: number, host?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

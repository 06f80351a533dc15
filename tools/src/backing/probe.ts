import { connect } from 'node:net';

const deadlineMs = 1_000;

export interface Probe {
  send?: string;
  expect?: string;
  /** Where the server listens if the URL names no port. */
  port: number;
}

/** Whether a server at the URL responds with the expected first bytes. Never rejects. */
export function probe(url: string, { send = '', expect = '', port }: Probe): Promise<boolean> {
  const address = addressOf(url, port);
  return new Promise((resolve) => {
    const socket = connect(address);
    const finish = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    let received = '';
    socket.setTimeout(deadlineMs, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => (expect === '' ? finish(true) : socket.write(send)));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (received.length >= expect.length) finish(received.startsWith(expect));
    });
  });
}

/** As a socket takes it. */
export function addressOf(url: string, defaultPort: number): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) };
}

import { connect } from 'node:net';

const deadlineMs = 1_000;

/** Whether a server at the URL responds with the expected first bytes. Never rejects. */
export function probe(
  url: string,
  { send = '', expect = '' }: { send?: string; expect?: string },
): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
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

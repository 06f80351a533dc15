import type { AddressInfo } from 'node:net';
import { until } from '@countersign/runtime/testing';
import { SMTPServer } from 'smtp-server';

/** A real SMTP server on loopback that stores mails. */
export interface Mailbox {
  /** Settings with which the services send their mail here. */
  env: { SMTP_URL: string; SMTP_FROM: string };
  /** The one-time code of the newest mail to that address, once there are this many. */
  codeFor(address: string, count?: number): Promise<string>;
  close(): Promise<void>;
}

export async function openMailbox(): Promise<Mailbox> {
  const mails: Array<{ to: string[]; text: string }> = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    closeTimeout: 100,
    onData: (stream, { envelope }, done) => {
      let raw = '';
      stream.on('data', (chunk: Buffer) => {
        raw += chunk.toString();
      });
      stream.on('end', () => {
        const text = raw.slice(raw.indexOf('\r\n\r\n') + 4);
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, SMTP_FROM: 'codes@countersign.example' },
    codeFor: (address, count = 1) =>
      until(
        () => {
          const own = mails.filter(({ to }) => to.includes(address));
          return own.length >= count && /^\d{6}/.exec(own.at(-1)?.text ?? '')?.[0];
        },
        { what: `mail ${count} to ${address}`, timeoutMs: 30_000 },
      ),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

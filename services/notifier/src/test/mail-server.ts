import type { AddressInfo } from 'node:net';
import { until } from '@countersign/runtime/testing';
import { SMTPServer } from 'smtp-server';

interface Mail {
  to: string[];
  text: string;
  /** The six digits at the beginning of the text. */
  code: string;
}

interface MailServer {
  url: string;
  /** Accepted mails. */
  mails: Mail[];
  /** The codes of all messages received, accepted or not. */
  codes: string[];
  /** `refuse` responds with a temporary failure, `hang` not at all. */
  behave(behaviour: 'take' | 'refuse' | 'hang'): void;
  /** The newest mail to that address, once there are this many. */
  mailTo(address: string, count?: number): Promise<Mail>;
  close(): Promise<void>;
}

/** A real SMTP server on loopback. */
export async function startMailServer(): Promise<MailServer> {
  const mails: Mail[] = [];
  const codes: string[] = [];
  let behaviour: 'take' | 'refuse' | 'hang' = 'take';
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    closeTimeout: 100,
    onData: (stream, session, done) => {
      let raw = '';
      stream.on('data', (chunk: Buffer) => {
        raw += chunk.toString();
      });
      stream.on('end', () => {
        const text = raw.slice(raw.indexOf('\r\n\r\n') + 4).trim();
        const code = /^\d{6}/.exec(text)?.[0] ?? '';
        codes.push(code);
        if (behaviour === 'hang') return;
        if (behaviour === 'refuse') return done(new Error(`not now: ${raw}`));
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mails.push({ to, text, code });
        done();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    codes,
    behave: (next) => {
      behaviour = next;
    },
    mailTo: (address, count = 1) =>
      until(
        () => {
          const own = mails.filter(({ to }) => to.includes(address));
          return own.length >= count ? own.at(-1) : null;
        },
        { what: `mail ${count} to ${address}` },
      ),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

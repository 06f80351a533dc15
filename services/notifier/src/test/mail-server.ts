import type { AddressInfo } from 'node:net';
import { until } from '@countersign/runtime/testing';
import { SMTPServer } from 'smtp-server';

export interface Mail {
  to: string[];
  text: string;
  /** The six digits that the text begins with. */
  code: string;
}

export interface MailServer {
  url: string;
  mails: Mail[];
  /** `refuse` answers the message with a temporary failure, `hang` with nothing. */
  behave(behaviour: 'take' | 'refuse' | 'hang'): void;
  /** How often a whole message has been handed over, taken or not. */
  handedOver(): number;
  /** The newest mail to that address, once there are so many. */
  mailTo(address: string, count?: number): Promise<Mail>;
  close(): Promise<void>;
}

/** A real SMTP server on loopback. */
export async function startMailServer(): Promise<MailServer> {
  const mails: Mail[] = [];
  let behaviour: 'take' | 'refuse' | 'hang' = 'take';
  let handedOver = 0;
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    closeTimeout: 100,
    onData: (stream, session, done) => {
      let raw = '';
      stream.on('data', (chunk: Buffer) => {
        raw += chunk.toString();
      });
      stream.on('end', () => {
        handedOver += 1;
        if (behaviour === 'hang') return;
        if (behaviour === 'refuse') return done(new Error(`not now: ${raw}`));
        const text = raw.slice(raw.indexOf('\r\n\r\n') + 4).trim();
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mails.push({ to, text, code: /^\d{6}/.exec(text)?.[0] ?? '' });
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
    behave: (next) => {
      behaviour = next;
    },
    handedOver: () => handedOver,
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

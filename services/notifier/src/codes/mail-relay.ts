import { createTransport } from 'nodemailer';
import { connectShare, type Relay, type RelayOptions } from './relay.js';
import { NotReached } from './relay-failure.js';

const subject = 'Your confirmation code';

/** Null where no relay is configured, as in `smsGateway`. */
export function mailRelay(options: RelayOptions): Relay | null {
  const { smtpUrl, smtpFrom, timeoutMs } = options;
  if (!smtpUrl || !smtpFrom) return null;
  const transport = createTransport(
    {
      url: smtpUrl,
      connectionTimeout: timeoutMs * connectShare,
      greetingTimeout: timeoutMs * connectShare,
      socketTimeout: timeoutMs,
      dnsTimeout: timeoutMs * connectShare,
    },
    { from: smtpFrom },
  );
  /** Of these mails the relay may have a part; they are read once it has let us in. */
  const begun = new WeakSet<AbortSignal>();
  transport.use('stream', ({ message, data: { signal } }, done) => {
    message?.processFunc((input) => {
      if (signal) begun.add(signal);
      return input;
    });
    done();
  });
  return {
    // An object, because in a string commas would separate several recipients.
    send: async (to, body) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const mail = { to: { name: '', address: to }, subject, text: body, signal };
      await transport.sendMail(mail).catch((error: unknown) => {
        throw begun.has(signal) ? error : new NotReached(error);
      });
    },
    close: () => transport.close(),
  };
}

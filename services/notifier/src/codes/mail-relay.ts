import { createTransport } from 'nodemailer';
import { connectShare, type Relay, type RelayOptions } from './relay.js';

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
  return {
    // An object, because in a string commas would separate several recipients.
    send: async (to, body) => {
      await transport.sendMail({ to: { name: '', address: to }, subject, text: body });
    },
    close: () => transport.close(),
  };
}

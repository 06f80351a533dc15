import { Fault, type FaultOptions } from '@countersign/kernel/fault';
import { withDeadline } from '@countersign/runtime/deadline';
import { createTransport } from 'nodemailer';
import { Agent, request } from 'undici';

export interface CodeSenderOptions {
  smtpUrl: string | null;
  smtpFrom: string | null;
  smsGatewayUrl: string | null;
  smsGatewayToken: string | null;
  /** Timeout of the whole conversation with the relay. */
  timeoutMs: number;
}

export interface CodeMessage {
  channel: 'email' | 'sms';
  /** An e-mail address or an E.164 number. */
  to: string;
  code: string;
  /** ISO time. */
  expiresAt: string;
  amount: string;
  currency: string;
}

/**
 * The relay was not reached or refused the message. After any other fault the message may have
 * been sent.
 */
export class NothingSent extends Fault {
  constructor(options: FaultOptions) {
    super('unavailable', options);
  }
}

/** The relay sends nothing to this recipient, however often it is asked. */
export class RecipientRefused extends Fault {
  constructor(options: FaultOptions) {
    super('unavailable', options);
  }
}

export interface CodeSender {
  /**
   * Resolves once the relay has accepted the message; rejects with a Fault `unavailable` if it has
   * not, or if that is unknown.
   */
  send(message: CodeMessage): Promise<'sent' | 'not_configured'>;
  close(): void;
}

const subject = 'Your confirmation code';

/**
 * Contains nothing from merchants or agents: the message comes from a trusted sender and must not
 * convey text of third parties.
 */
function text({ code, expiresAt, amount, currency }: CodeMessage): string {
  const time = expiresAt.slice(11, 16);
  return (
    `${code} confirms a payment of ${amount} ${currency} by your agent, until ${time} UTC. ` +
    'If you do not expect it, do not share this code.'
  );
}

export function createCodeSender(options: CodeSenderOptions): CodeSender {
  const mail = mailer(options);
  const sms = smsGateway(options);
  return {
    async send(message) {
      const relay = message.channel === 'email' ? mail?.send : sms?.send;
      if (!relay) return 'not_configured';
      try {
        // The library's timeouts each cover one step of the conversation; this one covers all of
        // it.
        const limit = { ms: options.timeoutMs, what: 'the relay' };
        await withDeadline(relay(message.to, text(message)), limit);
        return 'sent';
      } catch (error) {
        const about = {
          message: 'The code could not be sent; try again.',
          internal: `${message.channel} relay: ${reasonOf(error)}`,
        };
        if (isOfRecipient(error)) throw new RecipientRefused(about);
        throw wasRefused(error) ? new NothingSent(about) : new Fault('unavailable', about);
      }
    },
    close: () => {
      mail?.close();
      sms?.close();
    },
  };
}

/**
 * Share of the timeout, so that a connection failure is recognised as such before the timeout
 * ends.
 */
const connectShare = 0.4;

type Relay = (to: string, text: string) => Promise<void>;

function mailer(options: CodeSenderOptions): { send: Relay; close: () => void } | null {
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

function smsGateway(options: CodeSenderOptions): { send: Relay; close: () => void } | null {
  const { smsGatewayUrl, smsGatewayToken, timeoutMs } = options;
  if (!smsGatewayUrl) return null;
  const dispatcher = new Agent({ connect: { timeout: timeoutMs * connectShare } });
  const send: Relay = async (to, body) => {
    const answer = await request(smsGatewayUrl, {
      method: 'POST',
      dispatcher,
      headers: {
        'content-type': 'application/json',
        ...(smsGatewayToken && { authorization: `Bearer ${smsGatewayToken}` }),
      },
      body: JSON.stringify({ to, text: body }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.body.dump({ limit: 16 * 1024, signal: AbortSignal.timeout(timeoutMs) });
    const { statusCode } = answer;
    if (statusCode >= 200 && statusCode <= 299) return;
    // A gateway that fails, or that has no answer from what is behind it, may have sent it.
    throw statusCode < 500 ? new StatusRefused(statusCode) : new Error(`status ${statusCode}`);
  };
  return { send, close: () => void dispatcher.destroy() };
}

class StatusRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

/**
 * What a gateway answers to a number that it cannot use. Other statuses of a caller's mistake can
 * be due to how it is set up, and refuse every number alike.
 */
const numberRefused = 422;

/**
 * A permanent refusal whose enhanced code (RFC 3463) blames the mailbox: it or its domain does not
 * exist, has moved, is disabled or full. Where the code blames the sender (5.1.0, 5.1.7, 5.1.8,
 * 5.7.1) or is missing, the relay may refuse every recipient alike, which is not to be overlooked.
 */
const mailboxRefusal = /^5\d\d[ -]5\.(?:1\.(?:[1-46]|10)|2\.[12])\b/;

function isOfRecipient(error: unknown): boolean {
  if (error instanceof StatusRefused) return error.status === numberRefused;
  const { command, response } = error as Record<string, unknown>;
  return command === 'RCPT TO' && typeof response === 'string' && mailboxRefusal.test(response);
}

/**
 * Messages of the mail library for failures before anything was sent; later failures have the same
 * error codes.
 */
const unsaid: ReadonlySet<unknown> = new Set(['Connection timeout', 'Greeting never received']);

/** The relay refused the message, or no connection was established. */
function wasRefused(error: unknown): boolean {
  const { code, responseCode, syscall, message } = error as Record<string, unknown>;
  if (error instanceof StatusRefused || typeof responseCode === 'number') return true;
  // A name with several addresses: all of them were tried.
  if (error instanceof AggregateError) return error.errors.every(wasRefused);
  if (syscall === 'connect' || syscall === 'getaddrinfo' || unsaid.has(message)) return true;
  return code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'EDNS' || code === 'ETLS';
}

/** The relay's message may quote the mail and thus the code, so only error codes are logged. */
function reasonOf(error: unknown): string {
  const { code, responseCode, message } = error as Record<string, unknown>;
  if (typeof responseCode === 'number') return `status ${responseCode}`;
  if (typeof code === 'string') return code;
  return typeof message === 'string' && /^status \d+$/.test(message) ? message : 'failed';
}

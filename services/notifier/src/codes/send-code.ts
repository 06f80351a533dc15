import { Fault, type FaultOptions } from '@countersign/kernel/fault';
import { mailRelay } from './mail-relay.js';
import type { RelayOptions } from './relay.js';
import { isOfRecipient, reasonOf, wasRefused } from './relay-failure.js';
import { smsGateway } from './sms-gateway.js';

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

export function createCodeSender(options: RelayOptions): CodeSender {
  const mail = mailRelay(options);
  const sms = smsGateway(options);
  return {
    async send(message) {
      const relay = message.channel === 'email' ? mail?.send : sms?.send;
      if (!relay) return 'not_configured';
      try {
        await relay(message.to, text(message));
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

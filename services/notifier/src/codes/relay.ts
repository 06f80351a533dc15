export interface RelayOptions {
  smtpUrl: string | null;
  smtpFrom: string | null;
  smsGatewayUrl: string | null;
  smsGatewayToken: string | null;
  /** Timeout of the whole conversation with the relay. */
  timeoutMs: number;
}

/** What carries a code to its recipient. */
export interface Relay {
  /**
   * Resolves once the message is accepted. Rejects in time, with the error of the library, or with
   * `NotReached` where nothing of the message was sent.
   */
  send(to: string, text: string): Promise<void>;
  close(): void;
}

/**
 * Share of the timeout, so that a connection failure is recognised as such before the timeout
 * ends.
 */
export const connectShare = 0.4;

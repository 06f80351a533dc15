import { type ClientOptions, ConfigurationError, Countersign } from '@countersign/sdk';
import type { Config } from './config.js';
import { Declines } from './declines.js';
import { ReasonBook } from './reason-book.js';

/** Dependencies shared by all tools. */
export interface Context {
  countersign: Countersign;
  agentId: string;
  reasons: ReasonBook;
  declines: Declines;
  reversals: boolean;
}

/**
 * Timeout per call to the service: a tool makes a few calls, and hosts abort a tool after a minute.
 * After a timeout the model can simply repeat the tool call, which never pays twice.
 */
const timeoutMs = 10_000;

export function createContext({ client, agentId, reversals }: Config): Context {
  const countersign = clientOf({ ...client, timeoutMs });
  const reasons = new ReasonBook(() => countersign.catalog.reasonCodes());
  return { countersign, agentId, reasons, declines: new Declines(), reversals };
}

/** What the client calls its options, as whoever configures this server knows them. */
const variables = {
  baseUrl: 'COUNTERSIGN_URL',
  allowHttp: 'COUNTERSIGN_ALLOW_HTTP=on',
  apiKey: 'COUNTERSIGN_API_KEY',
  principalId: 'COUNTERSIGN_PRINCIPAL_ID',
  'oauth.clientId': 'COUNTERSIGN_CLIENT_ID',
  'oauth.clientSecret': 'COUNTERSIGN_CLIENT_SECRET',
};

function clientOf(options: ClientOptions): Countersign {
  try {
    return new Countersign(options);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const named = Object.entries(variables).reduce(
      (text, [option, variable]) => text.replaceAll(option, variable),
      error.message,
    );
    throw new ConfigurationError(named);
  }
}

import { Countersign } from '@countersign/sdk';
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
  const countersign = new Countersign({ ...client, timeoutMs });
  const reasons = new ReasonBook(() => countersign.catalog.reasonCodes());
  return { countersign, agentId, reasons, declines: new Declines(), reversals };
}

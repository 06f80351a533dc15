import { Countersign } from '@countersign/sdk';
import type { Config } from './config.js';
import { ReasonBook } from './reason-book.js';

/** What every tool needs, made once. */
export interface Context {
  countersign: Countersign;
  agentId: string;
  reasons: ReasonBook;
  reversals: boolean;
}

/**
 * For each call of a tool's: a tool makes a few, and hosts give up on a tool after a minute. A
 * model that hears that nothing was answered can ask again, which never pays twice.
 */
const timeoutMs = 10_000;

export function createContext({ client, agentId, reversals }: Config): Context {
  const countersign = new Countersign({ ...client, timeoutMs });
  const reasons = new ReasonBook(() => countersign.catalog.reasonCodes());
  return { countersign, agentId, reasons, reversals };
}

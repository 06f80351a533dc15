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

export function createContext({ client, agentId, reversals }: Config): Context {
  const countersign = new Countersign(client);
  const reasons = new ReasonBook(() => countersign.catalog.reasonCodes());
  return { countersign, agentId, reasons, reversals };
}

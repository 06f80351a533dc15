import type { CommitResponse } from '@countersign/proto/ledger';
import { outcomeOnly, type Pending } from './pending.js';
import type { Proposal } from './proposal.js';
import type { Database } from './store.js';

/**
 * The responses to a batch of which some proposals were made from facts of another epoch, or lack a
 * text that this database does not have; null to the others. Null if there are none of these.
 */
export function otherEpochResponses(
  database: Database,
  batch: readonly Pending[],
): Array<CommitResponse | null> | null {
  const responses = batch.map(({ proposal }) => responseOf(database, proposal));
  return responses.some((response) => response !== null) ? responses : null;
}

/** Whether some were made from facts of another epoch than this database is known to have. */
export function hasOtherEpoch(database: Database, batch: readonly Pending[]): boolean {
  return batch.some(({ proposal }) => isOfOther(database, proposal));
}

function isOfOther({ epoch }: Database, proposal: Proposal): boolean {
  return proposal.epoch !== null && proposal.epoch !== epoch;
}

function responseOf(database: Database, proposal: Proposal): CommitResponse | null {
  const { epoch, bases } = database;
  if (isOfOther(database, proposal)) return { ...outcomeOnly('stale'), epoch };
  return bases.isMissingText(proposal) ? outcomeOnly('basis_unknown') : null;
}

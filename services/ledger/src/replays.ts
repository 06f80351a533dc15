import type { PerEnvironment } from '@countersign/kernel/environment';
import type { FindReplayRequest } from '@countersign/proto/ledger';
import {
  type GroupedRead,
  type GroupedReadParts,
  groupedReaders,
} from '@countersign/runtime/grouped-read';
import { findReplays } from './sql.js';

export interface ReplayRow {
  /** Whether the key was used with the body that is asked about. */
  sameBody: boolean;
  /** The public answer, byte for byte as it was given. */
  answer: string;
}

export type ReadReplay = GroupedRead<FindReplayRequest, ReplayRow>;

/** Looks up what idempotency keys were answered before, in one statement for a group of calls. */
export function replayReaders(parts: GroupedReadParts): PerEnvironment<ReadReplay> {
  return groupedReaders<FindReplayRequest, ReplayRow>(parts, {
    ...findReplays,
    columns: [
      ({ principalId }) => principalId,
      ({ idempotencyKey }) => idempotencyKey,
      ({ bodyHash }) => bodyHash,
    ],
  });
}

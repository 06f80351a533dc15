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

/** What a key was answered before, asked in one statement for all that ask together. */
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

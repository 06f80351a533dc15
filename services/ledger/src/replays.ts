import type { PerEnvironment } from '@countersign/kernel/environment';
import type { FindReplayRequest } from '@countersign/proto/ledger';
import {
  type GroupedRead,
  type GroupedReadParts,
  groupedReaders,
} from '@countersign/runtime/sharing/grouped-read';
import { findReplays } from './sql.js';

interface ReplayRow {
  /** Whether the idempotency key was used with the same request body. */
  sameBody: boolean;
  /** As it is stored, with the columns of its record before it. */
  answer: string;
}

export type ReadReplay = GroupedRead<FindReplayRequest, ReplayRow>;

/** Looks up the answers given under idempotency keys, in one statement for concurrent calls. */
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

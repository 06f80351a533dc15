import type { AuthorizationEntry } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
import type { ListedRecord, RecordWithAnswer } from './authorization.js';
import { foldEntry } from './fold.js';

/**
 * The entry that `fold` makes of a record. If the answer was changed beyond reading, it is made
 * without one, so without the attestation: the rest remains readable, and hides no other entry.
 */
export function readableEntry<T extends RecordWithAnswer>(
  record: T,
  call: Pick<Call, 'log'>,
  fold: (record: T) => AuthorizationEntry,
): AuthorizationEntry {
  try {
    return fold(record);
  } catch (err) {
    const { id: authorizationId } = record;
    call.log.error(
      { authorizationId, err },
      'the answer of a record cannot be read; verify-log names it',
    );
    return fold({ ...record, answer: '{}' });
  }
}

/** The entries of a list, each as it stands at that time. */
export function listedEntries(
  records: readonly ListedRecord[],
  call: Pick<Call, 'log'>,
  now: number,
): AuthorizationEntry[] {
  return records.map((record) => readableEntry(record, call, (each) => foldEntry(each, now)));
}

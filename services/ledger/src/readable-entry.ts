import type { AuthorizationEntry } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
import type { RecordWithAnswer } from './authorization.js';

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

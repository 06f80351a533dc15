import type { AuthorizationEntry } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
import type { ListedRecord } from './authorization.js';
import { foldEntry } from './fold.js';

/**
 * The entries of a page. One whose answer was changed beyond reading is shown without the
 * attestation, so that it hides no other.
 */
export function listedEntries(
  records: readonly ListedRecord[],
  now: number,
  { log }: Pick<Call, 'log'>,
): AuthorizationEntry[] {
  return records.map((record) => {
    try {
      return foldEntry(record, now);
    } catch (err) {
      const { id: authorizationId } = record;
      log.error({ authorizationId, err }, 'the answer of a record cannot be read; see verify-log');
      return foldEntry({ ...record, answer: '{}' }, now);
    }
  });
}

import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { deleteIntentSubjectSql } from '../sql.js';

/** Idempotent. */
export function deleteSubject(context: Context): Handlers<LedgerDefinition>['DeleteIntentSubject'] {
  return async ({ principalId, issuer, subject }, { environment }) => {
    const { pool } = context.stores[environment];
    await pool.query(deleteIntentSubjectSql, [principalId, issuer, subject]);
    return {};
  };
}

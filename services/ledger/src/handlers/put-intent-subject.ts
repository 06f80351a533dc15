import { isoTime } from '@countersign/kernel/clock';
import { Fault } from '@countersign/kernel/fault';
import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { type IntentSubjectRow, maxSubjects, subjectMessage } from '../intent-subject.js';
import { putIntentSubjectSql } from '../sql.js';

/** Registers a user. A user that was bound by its first use becomes explicitly registered. */
export function putSubject(context: Context): Handlers<LedgerDefinition>['PutIntentSubject'] {
  return async ({ principalId, issuer, subject }, { environment }) => {
    const { rows } = await context.stores[environment].pool.query<IntentSubjectRow>(
      putIntentSubjectSql,
      [principalId, issuer, subject, isoTime(context.clock()), maxSubjects],
    );
    const [row] = rows;
    if (row) return subjectMessage(row);
    throw new Fault('conflict', {
      code: 'CONFLICT',
      message: `This principal has ${maxSubjects} subjects already.`,
    });
  };
}

import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { type IntentSubjectRow, subjectMessage } from '../intent-subject.js';
import { listIntentSubjectsSql } from '../sql.js';

export function listSubjects(context: Context): Handlers<LedgerDefinition>['ListIntentSubjects'] {
  return async ({ principalId }, { environment }) => {
    const { rows } = await context.stores[environment].pool.query<IntentSubjectRow>(
      listIntentSubjectsSql,
      [principalId],
    );
    return { subjects: rows.map(subjectMessage) };
  };
}

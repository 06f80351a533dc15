import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { amendment } from '../amendment.js';
import { findOwned } from '../authorization.js';
import type { Context } from '../context.js';
import { attemptLimits, retryContended } from '../failure.js';
import { recordedAmount } from '../recorded-amount.js';
import { denyStepUpSql } from '../sql.js';

export function denyStepUp(context: Context): Handlers<LedgerDefinition>['DenyStepUp'] {
  return async (request, call) => {
    const store = context.stores[call.environment];
    const record = await findOwned(store, request.tenant, { id: request.authorizationId });
    if (record.decision !== 'STEP_UP') return { outcome: 'not_step_up' };
    const change = {
      amendment: 'STEP_UP_DENIED',
      decision: 'DECLINE',
      amount: recordedAmount(record),
      deniedBy: request.deniedBy,
    } as const;
    const { eventId, at, event } = amendment(record, change, { call, clock: context.clock });
    const values = [record.id, request.deniedBy, at, request.reason ?? null, eventId, event];
    const { rows } = await retryContended(attemptLimits(context, call), () =>
      store.commits.query<{ outcome: string }>(denyStepUpSql, values),
    );
    const outcome = rows[0]?.outcome ?? '';
    if (outcome === 'denied') context.relays[call.environment].wake();
    return { outcome };
  };
}

import type { EntityVersion, LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { amendment } from '../amendment.js';
import { findOwned } from '../authorization.js';
import type { Context } from '../context.js';
import { attemptLimits, retryContended } from '../failure.js';
import { limitCodes } from '../limits.js';
import { recordedAmount } from '../recorded-amount.js';
import { confirmStepUpSql } from '../sql.js';

interface ConfirmRow {
  outcome: string;
  confirmed_at: string | null;
  exceeded: number | null;
  intent_codes: string[];
}

/** Turns a STEP_UP into an APPROVE if limits and fences still allow it at the commit. */
export function confirmStepUp(context: Context): Handlers<LedgerDefinition>['ConfirmStepUp'] {
  return async (request, call) => {
    const store = context.stores[call.environment];
    const record = await findOwned(store, request.tenant, { id: request.authorizationId });
    if (record.decision !== 'STEP_UP')
      return { outcome: 'not_step_up', limitCodes: [], intentCodes: [] };
    const change = {
      amendment: 'STEP_UP_CONFIRMED',
      decision: 'APPROVE',
      amount: recordedAmount(record),
    } as const;
    const { eventId, at, event } = amendment(record, change, { call, clock: context.clock });
    const { rows } = await retryContended(attemptLimits(context, call), () =>
      store.commits.query<ConfirmRow>(confirmStepUpSql, [
        record.id,
        request.confirmedBy,
        at,
        request.attestationJson ?? null,
        ...seenValues(request.seen),
        eventId,
        event,
      ]),
    );
    const [row] = rows;
    if (!row) throw new Error('confirm_step_up returned no row');
    if (row.outcome === 'confirmed') context.relays[call.environment].wake();
    return {
      outcome: row.outcome,
      limitCodes: limitCodes(row.exceeded ?? 0),
      intentCodes: row.intent_codes,
      confirmedAt: row.confirmed_at ?? undefined,
    };
  };
}

function seenValues(seen: readonly EntityVersion[]): [string[], number[]] {
  return [seen.map(({ entityId }) => entityId), seen.map(({ version }) => version)];
}

import { Fault, invalidField } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import { amountProblem, tooManyDecimals } from '@countersign/kernel/money';
import type { LedgerDefinition, ReverseRequest, ReverseResponse } from '@countersign/proto/ledger';
import type { Call, Handlers } from '@countersign/runtime/grpc-types';
import { amendment } from '../amendment.js';
import { findOwned, type RecordWithAnswer } from '../authorization.js';
import type { Context } from '../context.js';
import { attemptLimits, retryContended } from '../failure.js';
import { currentDecision } from '../fold.js';
import { currencyDecimals } from '../recorded-amount.js';
import { reverseSql } from '../sql.js';

interface ReversalRow {
  outcome: 'reversed' | 'already_reversed' | 'nothing_reserved' | 'exceeds';
  released: string;
  partial: boolean;
}

/** Releases the requested amount of what an approval reserved, or all that remains. */
export function reverse(context: Context): Handlers<LedgerDefinition>['Reverse'] {
  return async (request, call) => {
    const store = context.stores[call.environment];
    const record = await findOwned(
      store,
      request.tenant,
      request.authorizationId
        ? { id: request.authorizationId }
        : { idempotencyKey: request.originalIdempotencyKey ?? '' },
    );
    checkAmount(request.amount, record);
    const values = reversalValues(context, { request, record, call });
    const { rows } = await retryContended(attemptLimits(context, call), () =>
      store.commits.query<ReversalRow>(reverseSql, values),
    );
    const [row] = rows;
    if (!row) throw new Error('reverse_authorization returned no row');
    if (row.outcome === 'exceeds') {
      throw invalidField(
        'amount',
        'exceeds_authorized',
        `At most ${row.released} ${record.currency} of this authorization can still be reversed.`,
      );
    }
    context.relays[call.environment].wake();
    return toResponse(row, record);
  };
}

interface Reversal {
  request: ReverseRequest;
  record: RecordWithAnswer;
  call: Call;
}

function reversalValues(context: Context, { request, record, call }: Reversal): unknown[] {
  // The released amount is only known under the lock, so the database inserts it into the event.
  const change = { amendment: 'REVERSED', decision: 'APPROVE', amount: amountPlaceholder } as const;
  const { eventId, at, event } = amendment(record, change, { call, clock: context.clock });
  return [
    record.id,
    request.reversalId || newId('event'),
    request.amount ?? null,
    request.reason ?? null,
    request.requestedBy,
    at,
    eventId,
    event.replaceAll('%', '%%').replace(amountPlaceholder, '%1$s'),
  ];
}

const amountPlaceholder = '\ue000released\ue001';

function checkAmount(amount: string | undefined, record: RecordWithAnswer): void {
  if (amount === undefined) return;
  const decimals = currencyDecimals(record);
  const type = amountProblem(amount, decimals);
  if (type === null) return;
  if (type !== 'too_many_decimals') {
    throw invalidField('amount', type, 'The amount is not an amount of the currency.');
  }
  // The only check of an amount that needs the record; in the words of the others.
  const message = tooManyDecimals(record.currency, decimals);
  throw new Fault('invalid', {
    code: 'VALIDATION_ERROR',
    message: `The request is not valid: amount ${message}.`,
    errors: [{ field: 'amount', message, type }],
  });
}

function toResponse(row: ReversalRow, record: RecordWithAnswer): ReverseResponse {
  const decision = currentDecision(record);
  const reversed = row.outcome !== 'nothing_reserved';
  return {
    authorizationId: record.id,
    reversed,
    releasedAmount: row.released,
    partial: row.partial,
    alreadyReversed: row.outcome === 'already_reversed',
    // The challenge may have been confirmed after the record was read.
    decision: reversed ? 'APPROVE' : decision,
  };
}

import { isOutcomeType, outcomeReporters, outcomeTypes } from '@countersign/kernel/outcome-type';
import { z } from 'zod';
import { amount, checkExponent, moneyNumber, moneyText } from './amount.js';
import { documentedAs } from './documented-as.js';
import { freeObject } from './free-object.js';
import { answeredId, idOf } from './id.js';
import { pageOf } from './list.js';
import { currency } from './place.js';
import { always, loose, report } from './rule.js';
import { sent } from './sent.js';
import { comparedText, text } from './text.js';
import { answeredTime, datetime } from './time.js';

const outcomeType = z.enum(outcomeTypes).meta({ id: 'OutcomeType' });
const reporter = z.enum(outcomeReporters).meta({ id: 'OutcomeReporter' });
const reference = comparedText(128).optional();

const reportShape = z.strictObject({
  authorization_id: idOf('authorization').optional().meta({
    description: 'This, or one of `network_rrn`, `tx_hash`, `client_reference`.',
  }),
  network_rrn: reference,
  tx_hash: reference.meta({
    description: 'The hash of an on-chain transaction matches in upper and lower case.',
  }),
  client_reference: reference.meta({
    description: 'Refers to the most recent authorization with this reference.',
  }),
  // An unknown type is a 400 in a single call and an invalid row in a batch, so not the schema's.
  outcome_type: text(64, 0).meta(documentedAs({ $ref: '#/components/schemas/OutcomeType' })),
  reported_at: datetime(),
  reported_by: reporter,
  settled_amount: amount().optional(),
  settled_currency: currency.optional().meta({
    description: 'Without it `settled_amount` may be as fine as the currency of the payment is.',
  }),
  settled_at: datetime().optional(),
  evidence: freeObject('Kept with the outcome.').optional(),
  notes: text(5000, 0).optional(),
  external_reference_id: text(255, 0).optional(),
  network_stan: reference,
  auth_code: reference,
  network_reference: reference,
  chain_id: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});

const references = ['authorization_id', 'network_rrn', 'tx_hash', 'client_reference'] as const;

/** True where a report names the authorization it is about. */
function namesAuthorization(value: unknown): boolean {
  const given = loose(value);
  return references.some((name) => given[name] !== undefined);
}

/** Of a type that nobody knows; says what would be one. */
export const unknownOutcomeType = `outcome_type must be one of ${outcomeTypes.join(', ')}`;

/** Why one row of a batch cannot be recorded though its shape is right, or null. */
export function outcomeProblem(row: ReportOutcomeBody): string | null {
  if (!isOutcomeType(row.outcome_type)) return unknownOutcomeType;
  return namesAuthorization(row) ? null : `one of ${references.join(', ')} is required`;
}

function checkSettledAmount(value: unknown, context: z.RefinementCtx): void {
  const { settled_amount: settled, settled_currency: code } = loose(value);
  checkExponent(context, { path: ['settled_amount'], value: settled }, code);
}

const exampleReport = {
  authorization_id: 'auth_01k5a3v7q8e9f0g1h2j3k4m5n6',
  outcome_type: 'SETTLED',
  reported_at: '2026-11-21T09:30:00Z',
  reported_by: 'ISSUER',
  settled_amount: '10.00',
  settled_currency: 'USD',
  settled_at: '2026-11-21T09:29:00Z',
};

export const reportOutcome = reportShape
  .superRefine((value, context) => {
    checkSettledAmount(value, context);
    if (namesAuthorization(value)) return;
    const message = `is required unless one of ${references.slice(1).join(', ')} is given`;
    report(context, { path: ['authorization_id'], type: 'required', message });
  }, always)
  .meta({
    id: 'ReportOutcome',
    ...sent(exampleReport),
  });
export type ReportOutcomeBody = z.output<typeof reportShape>;

const maxBatch = 500;

/** A row that names no authorization is found invalid alone; the others still count. */
export const reportOutcomes = z
  .strictObject({
    outcomes: z
      .array(
        reportShape
          .superRefine(checkSettledAmount, always)
          .meta({ id: 'OutcomeRow', ...sent(exampleReport) }),
      )
      .min(1, { error: 'must have at least 1 row' })
      .max(maxBatch, { error: `must have at most ${maxBatch} rows` }),
  })
  .meta({ id: 'ReportOutcomes' });

function shape<T extends z.ZodType>(money: T) {
  return z.object({
    id: answeredId('outcome'),
    authorization_id: answeredId('authorization'),
    tenant_id: answeredId('principal'),
    outcome_type: outcomeType,
    reported_at: answeredTime(),
    reported_by: reporter,
    evidence: z.record(z.string(), z.unknown()).meta({ examples: [{}] }),
    notes: z
      .string()
      .nullable()
      .meta({ examples: [null] }),
    external_reference_id: z
      .string()
      .nullable()
      .meta({ examples: [null] }),
    settled_amount: money.nullable(),
    settled_currency: z
      .string()
      .nullable()
      .meta({ examples: ['USD'] }),
    settled_at: answeredTime().nullable(),
    created_at: answeredTime(),
  });
}

export const outcome = shape(moneyText()).meta({ id: 'Outcome' });
export const outcomePage = pageOf(shape(moneyNumber()).meta({ id: 'OutcomeItem' }), 'OutcomePage');

const total = (example: number) => z.int().meta({ examples: [example] });

const outcomeResult = z
  .object({
    index: total(0),
    status: z.enum(['created', 'updated', 'duplicate', 'not_found', 'invalid']),
    id: answeredId('outcome').nullable(),
    authorization_id: answeredId('authorization').nullable(),
    error: z
      .string()
      .nullable()
      .meta({ examples: [null] }),
  })
  .meta({ id: 'OutcomeResult' });

export const outcomeBatch = z
  .object({
    total: total(1),
    created: total(1),
    updated: total(0),
    duplicate: total(0),
    not_found: total(0),
    invalid: total(0),
    results: z.array(outcomeResult),
  })
  .meta({ id: 'OutcomeBatch' });

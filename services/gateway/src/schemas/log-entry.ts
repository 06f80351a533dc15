import { z } from 'zod';
import { trustLevel } from './agent.js';
import { moneyNumber, moneyText } from './amount.js';
import { answeredAttestation, decision, exampleHash, reasonCodes, score } from './authorization.js';
import { answeredId } from './id.js';
import { pageOf } from './list.js';
import { paymentRail, transferOperation } from './payment.js';
import { answeredTime } from './time.js';

const decisionStep = z
  .object({
    decision,
    at: answeredTime(),
    by: z.string().meta({
      description: '`system`, or who answered the challenge, such as `prn_…` or `otp:prn_…`.',
      examples: ['system'],
    }),
    reason_codes: reasonCodes,
  })
  .meta({ id: 'DecisionStep' });

const stepUp = z
  .object({
    status: z.enum(['PENDING', 'CONFIRMED', 'DENIED', 'EXPIRED']),
    expires_at: answeredTime(),
    resolved_at: answeredTime().nullable(),
    resolved_by: z
      .string()
      .nullable()
      .meta({ examples: [null] }),
    reason: z
      .string()
      .nullable()
      .meta({
        description: 'Of a denial, as it was given; `AGENT_REVOKED` where the agent was revoked.',
        examples: [null],
      }),
  })
  .meta({ id: 'StepUpState' });

const answeredReference = (example: string) =>
  z
    .string()
    .nullable()
    .meta({
      description: 'Of the payment, or added by an outcome.',
      examples: [example],
    });

const references = {
  network_rrn: answeredReference('612345678901'),
  network_stan: z
    .string()
    .nullable()
    .meta({ examples: ['000042'] }),
  auth_code: answeredReference('A1B2C3'),
  network_reference: answeredReference('MCC0001A2B3'),
  tx_hash: answeredReference(`0x${'ab'.repeat(32)}`),
  chain_id: z
    .int()
    .nullable()
    .meta({ description: 'Of the payment, or added by an outcome.', examples: [8453] }),
};

/** Single entries give money as text, lists as numbers. */
function entryShape<T extends z.ZodType>(money: T) {
  return z.object({
    id: answeredId('authorization'),
    agent_id: answeredId('agent').nullable(),
    mandate_id: answeredId('mandate').nullable(),
    amount: money,
    currency: z.string().meta({ examples: ['USD'] }),
    mcc: z
      .string()
      .nullable()
      .meta({ examples: ['5411'] }),
    merchant_id: z
      .string()
      .nullable()
      .meta({ examples: ['m-1001'] }),
    country: z
      .string()
      .nullable()
      .meta({ examples: ['USA'] }),
    decision,
    reason_codes: reasonCodes,
    kya_score: score(0.65),
    trust_level: trustLevel,
    processing_time_ms: score(4.2),
    created_at: answeredTime(),
    transaction_id: answeredId('transaction'),
    correlation_key: z.string().meta({ examples: ['order-0042'] }),
    rail: paymentRail,
    merchant_name: z
      .string()
      .nullable()
      .meta({ examples: ['Corner shop'] }),
    client_reference: z
      .string()
      .nullable()
      .meta({ examples: ['order-0042'] }),
    ...references,
    risk_score: score(0.17),
    vi_verified: z.boolean().meta({ examples: [false] }),
    decision_history: z.array(decisionStep),
    step_up: stepUp.nullable().meta({ examples: [null] }),
    reversed_amount: money,
    mandate_hash: z
      .string()
      .nullable()
      .meta({ examples: [exampleHash] }),
    attestation: answeredAttestation,
  });
}

const recordedTransfer = z
  .object({
    chain: z.string().meta({ examples: ['base'] }),
    asset: z.string().meta({ examples: ['USDC'] }),
    counterparty: z.string().meta({ examples: ['0x52908400098527886E0F7030069857D2E4169EE7'] }),
    from_address: z
      .string()
      .nullable()
      .meta({ examples: [null] }),
    value: z.string().meta({ description: 'In units of the asset.', examples: ['10.5'] }),
    operation: transferOperation,
  })
  .meta({ id: 'RecordedTransfer' });

export const logEntry = entryShape(moneyText())
  .extend({
    crypto: recordedTransfer
      .nullable()
      .meta({ description: 'What was to be transferred, with rail CRYPTO.', examples: [null] }),
  })
  .meta({ id: 'AuthorizationLogEntry' });

export const logPage = pageOf(
  entryShape(moneyNumber()).meta({ id: 'AuthorizationLogItem' }),
  'AuthorizationLogPage',
);

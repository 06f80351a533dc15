import { reasons } from '@countersign/kernel/reason';
import { type Retry, retryMeanings } from '@countersign/kernel/retry';
import { z } from 'zod';
import { moneyNumber, moneyText } from './amount.js';
import { answeredId } from './id.js';
import { pageOf } from './list.js';
import { answeredTime } from './time.js';

export const decision = z.enum(['APPROVE', 'DECLINE', 'STEP_UP']);
export const reasonCodes = z.array(z.string()).meta({ examples: [[]] });
const score = (example: number) => z.number().meta({ examples: [example] });

const attestation = z
  .object({
    format: z.literal('jws'),
    typ: z.literal('authorization-decision+jwt'),
    alg: z.literal('ES256'),
    kid: z.string().meta({ examples: ['G_96kD3GBXg7fuqEEJsKY1YHracLxBDq7pdwv2DgxdM'] }),
    jws: z.string().meta({ examples: ['eyJhbGciOiJFUzI1NiJ9.eyJ2ZXIiOjF9.c2lnbmF0dXJl'] }),
    jwks_uri: z
      .string()
      .meta({ examples: ['https://api.example.com/api/v1/.well-known/jwks.json'] }),
    issued_at: answeredTime(),
    expires_at: answeredTime(),
  })
  .meta({ id: 'DecisionAttestation', description: 'The decision, signed.' });

const answeredAttestation = attestation.nullable();

const riskAssessment = z
  .object({
    score: score(0.17),
    reason_codes: reasonCodes.meta({
      description:
        'Trust and risk codes, and `ANOMALY_<FEATURE>` for each feature with a fifth of the ' +
        'intent anomaly or more.',
      examples: [[]],
    }),
    condition_code: z.enum(['CLEAN', 'ELEVATED', 'HIGH', 'SEVERE']),
    velocity_indicator: z.boolean().meta({
      description: 'The agent asked more often in a short time than its thresholds allow.',
      examples: [false],
    }),
    highest_severity: z.enum(['NONE', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
  })
  .meta({ id: 'RiskAssessment' });

const answeredFields = {
  authorization_id: answeredId('authorization'),
  transaction_id: answeredId('transaction'),
  correlation_key: z.string().meta({ examples: ['order-0042'] }),
  decision,
  reason_codes: reasonCodes,
  reason_detail: z.string().meta({ examples: ['Approved: 190.00 USD remain today.'] }),
  agent_id: answeredId('agent').nullable(),
  mandate_id: answeredId('mandate').nullable(),
  kya_score: score(0.65),
  trust_level: z.enum(['REGISTERED', 'VERIFIED', 'TRUSTED']),
  risk_score: score(0.17),
  risk_assessment: riskAssessment,
  daily_amount_used: moneyText('10.00'),
  monthly_amount_used: moneyText('10.00'),
  daily_count_used: z.int().meta({ examples: [1] }),
  monthly_count_used: z.int().meta({ examples: [1] }),
  intent_context_provided: z.boolean().meta({ examples: [true] }),
  intent_anomaly_score: score(0).meta({
    description: 'How much the payment differs from what the agent usually does, 0 to 1.',
  }),
  intent_anomaly_triggered: z.boolean().meta({ examples: [false] }),
  intent_anomaly_skipped: z.boolean().meta({
    description: 'True where the agent has too few approved payments to compare this one with.',
    examples: [false],
  }),
  vi_verified: z
    .boolean()
    .meta({ description: 'A `vi_chain` came and all of it was verified.', examples: [false] }),
  vi_mode: z
    .enum(['IMMEDIATE', 'AUTONOMOUS'])
    .nullable()
    .meta({
      description:
        'What the user agreed to: this payment, or what an agent may pay. Null without a chain, ' +
        'and where the signatures of its issuer and user do not hold.',
      examples: [null],
    }),
  cognitive_limit_active: z.boolean().meta({ examples: [false] }),
  cognitive_limit_multiplier: score(1),
  session_terminate_recommended: z.boolean().meta({ examples: [false] }),
  attestation: answeredAttestation,
  processing_time_ms: score(4.2),
};

export const authorization = z.object(answeredFields).meta({ id: 'Authorization' });

export const simulation = z
  .object({ ...answeredFields, simulated: z.literal(true) })
  .meta({ id: 'SimulatedAuthorization' });

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

export const exampleHash = `sha256:${'9f86d081884c7d65'.repeat(4)}`;

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
    trust_level: z.string().meta({ examples: ['REGISTERED'] }),
    processing_time_ms: score(4.2),
    created_at: answeredTime(),
    transaction_id: answeredId('transaction'),
    correlation_key: z.string().meta({ examples: ['order-0042'] }),
    rail: z.enum(['CARD', 'CRYPTO']),
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

export const logEntry = entryShape(moneyText()).meta({ id: 'AuthorizationLogEntry' });

export const logPage = pageOf(
  entryShape(moneyNumber()).meta({ id: 'AuthorizationLogItem' }),
  'AuthorizationLogPage',
);

const retryDescription = Object.entries(retryMeanings)
  .map(([retry, meaning]) => `\`${retry}\`: ${meaning}`)
  .join(' ');

export const reasonCatalog = z
  .object({
    reason_codes: z.array(
      z.object({
        code: z.string().meta({ examples: [reasons[0]?.code] }),
        category: z.string().meta({ examples: [reasons[0]?.category] }),
        severity: z.enum(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
        retry: z
          .enum(Object.keys(retryMeanings) as Retry[])
          .meta({ description: retryDescription }),
        description: z.string().meta({ examples: [reasons[0]?.description] }),
      }),
    ),
  })
  .meta({ id: 'ReasonCatalog' });

import { reasons } from '@countersign/kernel/reason';
import { type Retry, retryMeanings } from '@countersign/kernel/retry';
import { decisionWords } from '@countersign/kernel/vocabulary';
import { z } from 'zod';
import { trustLevel } from './agent.js';
import { moneyText } from './amount.js';
import { answeredId } from './id.js';
import { answeredTime } from './time.js';

export const decision = z.enum(decisionWords).meta({ id: 'Decision' });
export const severity = z.enum(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']).meta({ id: 'Severity' });
const intentMode = z.enum(['IMMEDIATE', 'AUTONOMOUS']).meta({ id: 'IntentMode' });
export const reasonCodes = z.array(z.string()).meta({ examples: [[]] });
export const score = (example: number) => z.number().meta({ examples: [example] });

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

export const answeredAttestation = attestation.nullable();

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

export const counterFields = {
  daily_amount_used: moneyText('10.00'),
  monthly_amount_used: moneyText('10.00'),
  daily_count_used: z.int().meta({ examples: [1] }),
  monthly_count_used: z.int().meta({ examples: [1] }),
};

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
  trust_level: trustLevel,
  risk_score: score(0.17),
  risk_assessment: riskAssessment,
  ...counterFields,
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
  vi_mode: intentMode.nullable().meta({
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

export const exampleHash = `sha256:${'9f86d081884c7d65'.repeat(4)}`;

const retryDescription = Object.entries(retryMeanings)
  .map(([retry, meaning]) => `\`${retry}\`: ${meaning}`)
  .join(' ');

const publishedReason = z
  .object({
    code: z.string().meta({ examples: [reasons[0]?.code] }),
    category: z.string().meta({ examples: [reasons[0]?.category] }),
    severity,
    retry: z.enum(Object.keys(retryMeanings) as Retry[]).meta({ description: retryDescription }),
    description: z.string().meta({ examples: [reasons[0]?.description] }),
  })
  .meta({ id: 'ReasonCode' });

export const reasonCatalog = z
  .object({
    reason_codes: z.array(publishedReason),
  })
  .meta({ id: 'ReasonCatalog' });

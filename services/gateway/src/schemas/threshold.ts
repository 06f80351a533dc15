import { maxCurrencyDecimals } from '@countersign/kernel/currency';
import { z } from 'zod';
import { amount, moneyText } from './amount.js';
import { decision, reasonCodes } from './authorization.js';
import { answeredId, idOf } from './id.js';
import { wholeNumber } from './list.js';
import { plainNumber } from './number.js';
import { sent } from './sent.js';
import { answeredThresholds } from './threshold-values.js';
import { answeredTime } from './time.js';

/** A bounded number; the text says what it does and what it is where it is not set. */
function score(min: number, max: number, description: string) {
  return plainNumber(z.number().min(min).max(max)).nullable().optional().meta({ description });
}

function whole(min: number, max: number, description: string) {
  return z.int().min(min).max(max).nullable().optional().meta({ description });
}

/** In the currency of whatever payment it is compared with. */
function money(description: string) {
  const limited = `${description} At most ${maxCurrencyDecimals} decimals.`;
  return amount(maxCurrencyDecimals).nullable().optional().meta({ description: limited });
}

/** Bounds of single fields; what must hold between them is judged against the resolved values. */
export const putThresholds = z
  .strictObject({
    authorize_min_kya_score: score(0, 0.5, 'A KYA score below this is a DECLINE. Default: 0.10.'),
    authorize_step_up_threshold: score(
      0,
      0.9,
      'A KYA score below this is a STEP_UP. Default: 0.30.',
    ),
    cts_green_threshold: score(
      0.01,
      0.99,
      'The lowest KYA score of the zone GREEN. Default: 0.70.',
    ),
    cts_amber_threshold: score(
      0.01,
      0.99,
      'The lowest KYA score of the zone AMBER. Default: 0.40.',
    ),
    cts_red_threshold: score(
      0.01,
      0.99,
      'The lowest KYA score of the zone RED; below it is CRITICAL. Default: 0.20.',
    ),
    cognitive_multiplier_red: score(
      0,
      1,
      'In the zone RED, the limit for one payment is multiplied by this. Default: 0.50.',
    ),
    cognitive_multiplier_critical: score(
      0,
      1,
      'In the zone CRITICAL, the limit for one payment is multiplied by this. Default: 0.25.',
    ),
    risk_score_step_up: score(0.05, 1, 'A risk score of this or more is a STEP_UP. Default: 0.60.'),
    risk_score_hard_decline: score(
      0.05,
      1,
      'A risk score of this or more is a DECLINE. Default: 0.85.',
    ),
    intent_anomaly_step_up: score(
      0.1,
      1,
      'An intent anomaly score of this or more is a STEP_UP. Default: 0.50.',
    ),
    intent_anomaly_decline: score(
      0.1,
      1,
      'An intent anomaly score of this or more is a DECLINE. Default: 0.95.',
    ),
    intent_anomaly_min_history: whole(
      0,
      1000,
      'How many approved payments an agent needs before new ones are compared with them; ' +
        'above 200, they never are. Default: 10.',
    ),
    step_up_amount_threshold: money(
      'An amount of this or more is a STEP_UP. Default: null, no amount.',
    ),
    new_merchant_step_up_amount: money(
      'An amount of this or more is a STEP_UP where the agent has no earlier approval for ' +
        'the merchant. Default: null, no amount.',
    ),
    velocity_burst_count: whole(
      1,
      1_000_000,
      'More decisions about one agent than this, within the window, are a STEP_UP. Default: ' +
        '10.',
    ),
    velocity_burst_window_seconds: whole(
      10,
      3600,
      'The length of the window in which decisions are counted, in seconds. Default: 60.',
    ),
    verified_min_successful_txns: whole(
      1,
      1_000_000,
      'The successful payments that an agent needs for VERIFIED. Default: 50.',
    ),
    trusted_min_successful_txns: whole(
      1,
      1_000_000,
      'The successful payments that an agent needs for TRUSTED. Default: 500.',
    ),
    verified_min_account_age_hours: score(
      0,
      17_520,
      'The age in hours that an agent needs for VERIFIED. Default: 168.',
    ),
    trusted_min_account_age_hours: score(
      0,
      17_520,
      'The age in hours that an agent needs for TRUSTED. Default: 720.',
    ),
    verified_max_decline_rate: score(
      0,
      1,
      'VERIFIED needs a decline rate below this. Default: 0.05.',
    ),
    trusted_max_decline_rate: score(
      0,
      1,
      'TRUSTED needs a decline rate below this. Default: 0.02.',
    ),
    verified_min_dispute_deflection_rate: score(
      0,
      1,
      'VERIFIED needs a dispute deflection rate above this. Default: 0.80.',
    ),
    trusted_min_dispute_deflection_rate: score(
      0,
      1,
      'TRUSTED needs a dispute deflection rate above this. Default: 0.90.',
    ),
  })
  .meta({
    id: 'PutThresholds',
    description: 'Any subset; null reverts a field to its default.',
    ...sent({ authorize_min_kya_score: 0.15, step_up_amount_threshold: '500.00' }),
  });

const values = answeredThresholds(putThresholds.shape);
const thresholdValues = values.meta({ id: 'ThresholdValues' });
const thresholdOverrides = values.partial().meta({
  id: 'ThresholdOverrides',
  description: 'Those that were set.',
  examples: [{ authorize_min_kya_score: 0.15 }],
});

export const thresholds = z
  .object({
    thresholds: thresholdValues,
    overrides: thresholdOverrides,
    platform_defaults: thresholdValues,
  })
  .meta({ id: 'Thresholds' });

export const thresholdsUpdated = z
  .object({
    status: z.literal('updated'),
    fields_changed: z.array(z.string()).meta({ examples: [['authorize_min_kya_score']] }),
    effective_thresholds: thresholdValues,
  })
  .meta({ id: 'ThresholdsUpdated' });

export const thresholdsReset = z
  .object({
    status: z.literal('reset'),
    message: z.string().meta({ examples: ['All overrides are removed.'] }),
  })
  .meta({ id: 'ThresholdsReset' });

export const previewQuery = z.strictObject({
  agent_id: idOf('agent').meta({ description: 'Whose decisions are evaluated again.' }),
  limit: wholeNumber({ min: 1, max: 500, fallback: 100 }).meta({
    description: 'The most decisions that are evaluated, newest first.',
  }),
});

const decisionCounts = z
  .object({ APPROVE: z.int(), STEP_UP: z.int(), DECLINE: z.int() })
  .meta({ id: 'DecisionCounts', examples: [{ APPROVE: 92, STEP_UP: 1, DECLINE: 7 }] });

const evaluated = z
  .object({ decision, reason_codes: reasonCodes })
  .meta({ id: 'EvaluatedDecision', examples: [{ decision: 'APPROVE', reason_codes: [] }] });

const previewedDecision = z
  .object({
    authorization_id: answeredId('authorization'),
    amount: moneyText('600.00'),
    currency: z.string().meta({ examples: ['USD'] }),
    created_at: answeredTime(),
    before: evaluated,
    after: evaluated.meta({
      examples: [{ decision: 'STEP_UP', reason_codes: ['AMOUNT_STEP_UP'] }],
    }),
  })
  .meta({ id: 'PreviewedDecision' });

export const thresholdsPreview = z
  .object({
    fields_changed: z.array(z.string()).meta({ examples: [['step_up_amount_threshold']] }),
    not_considered: z.array(z.string()).meta({
      description:
        'Those of the changed fields whose effect the records cannot show: what is counted or ' +
        'compared before a decision is made, and what decides on promotion.',
      examples: [[]],
    }),
    considered: z.int().meta({
      description:
        'Decisions evaluated: without those that failed safe, and those of whose facts the ' +
        'database lacks a part, which is in the log of the service.',
      examples: [100],
    }),
    oldest_at: answeredTime().nullable(),
    newest_at: answeredTime().nullable(),
    before: decisionCounts.meta({ description: 'With the present thresholds.' }),
    after: decisionCounts.meta({
      description: 'With the changed thresholds.',
      examples: [{ APPROVE: 86, STEP_UP: 7, DECLINE: 7 }],
    }),
    changed: z.array(previewedDecision).meta({
      description: 'The decisions that differ, or whose reasons do; newest first.',
    }),
  })
  .meta({ id: 'ThresholdsPreview' });

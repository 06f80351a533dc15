import { z } from 'zod';
import { amount } from './amount.js';
import { plainNumber } from './number.js';
import { sent } from './sent.js';

function score(min: number, max: number) {
  return plainNumber(z.number().min(min).max(max)).nullable().optional();
}

function whole(min: number, max: number) {
  return z.int().min(min).max(max).nullable().optional();
}

const money = amount().nullable().optional();

/** Bounds of single fields; what must hold between them is judged against the resolved values. */
export const putThresholds = z
  .strictObject({
    authorize_min_kya_score: score(0, 0.5),
    authorize_step_up_threshold: score(0, 0.9),
    cts_green_threshold: score(0.01, 0.99),
    cts_amber_threshold: score(0.01, 0.99),
    cts_red_threshold: score(0.01, 0.99),
    cognitive_multiplier_red: score(0, 1),
    cognitive_multiplier_critical: score(0, 1),
    risk_score_step_up: score(0.05, 1),
    risk_score_hard_decline: score(0.05, 1),
    intent_anomaly_step_up: score(0.1, 1),
    intent_anomaly_decline: score(0.1, 1),
    intent_anomaly_min_history: whole(0, 1000),
    step_up_amount_threshold: money,
    new_merchant_step_up_amount: money,
    velocity_burst_count: whole(1, 1_000_000),
    velocity_burst_window_seconds: whole(10, 3600),
    verified_min_successful_txns: whole(1, 1_000_000),
    trusted_min_successful_txns: whole(1, 1_000_000),
    verified_min_account_age_hours: score(0, 17_520),
    trusted_min_account_age_hours: score(0, 17_520),
    verified_max_decline_rate: score(0, 1),
    trusted_max_decline_rate: score(0, 1),
    verified_min_dispute_deflection_rate: score(0, 1),
    trusted_min_dispute_deflection_rate: score(0, 1),
  })
  .meta({
    id: 'PutThresholds',
    description: 'Any subset; null reverts a field to its default.',
    ...sent({ authorize_min_kya_score: 0.15, step_up_amount_threshold: '500.00' }),
  });
export type PutThresholdsBody = z.output<typeof putThresholds>;

const values = z
  .record(z.string(), z.union([z.number(), z.string()]).nullable())
  .meta({ examples: [{ authorize_min_kya_score: 0.1, step_up_amount_threshold: null }] });

export const thresholds = z
  .object({ thresholds: values, overrides: values, platform_defaults: values })
  .meta({ id: 'Thresholds' });

export const thresholdsUpdated = z
  .object({
    status: z.literal('updated'),
    fields_changed: z.array(z.string()).meta({ examples: [['authorize_min_kya_score']] }),
    effective_thresholds: values,
  })
  .meta({ id: 'ThresholdsUpdated' });

export const thresholdsReset = z
  .object({
    status: z.literal('reset'),
    message: z.string().meta({ examples: ['All overrides are removed.'] }),
  })
  .meta({ id: 'ThresholdsReset' });

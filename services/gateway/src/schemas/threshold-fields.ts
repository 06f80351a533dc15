import { maxCurrencyDecimals } from '@countersign/kernel/currency';
import { z } from 'zod';
import { amount, moneyText } from './amount.js';
import { plainNumber } from './number.js';

interface ThresholdField {
  /** What may be set; null reverts to the default. */
  set: z.ZodType;
  answered: z.ZodType;
}

type Range = readonly [min: number, max: number];

function score(fallback: string, [min, max]: Range, text: string): ThresholdField {
  const set = plainNumber(z.number().min(min).max(max));
  return described(`${text} Default: ${fallback}.`, {
    set,
    answered: z.number().meta({ examples: [Number(fallback)] }),
  });
}

function whole(fallback: string, [min, max]: Range, text: string): ThresholdField {
  return described(`${text} Default: ${fallback}.`, {
    set: z.int().min(min).max(max),
    answered: z.int().meta({ examples: [Number(fallback)] }),
  });
}

/** In the currency of whatever payment it is compared with; null if no amount is set. */
function money(text: string): ThresholdField {
  const unset = `${text} Default: null, no amount.`;
  return {
    set: optional(amount(maxCurrencyDecimals), `${unset} At most ${maxCurrencyDecimals} decimals.`),
    answered: moneyText('500.00')
      .nullable()
      .meta({ description: unset, examples: [null] }),
  };
}

function described(description: string, { set, answered }: ThresholdField): ThresholdField {
  return { set: optional(set, description), answered: answered.meta({ description }) };
}

function optional(schema: z.ZodType, description: string): z.ZodType {
  return schema.nullable().optional().meta({ description });
}

/** Bounds of single fields; what must hold between them is judged against the resolved values. */
const fields = {
  authorize_min_kya_score: score('0.10', [0, 0.5], 'A KYA score below this is a DECLINE.'),
  authorize_step_up_threshold: score('0.30', [0, 0.9], 'A KYA score below this is a STEP_UP.'),
  cts_green_threshold: score('0.70', [0.01, 0.99], 'The lowest KYA score of the zone GREEN.'),
  cts_amber_threshold: score('0.40', [0.01, 0.99], 'The lowest KYA score of the zone AMBER.'),
  cts_red_threshold: score(
    '0.20',
    [0.01, 0.99],
    'The lowest KYA score of the zone RED; below it is CRITICAL.',
  ),
  cognitive_multiplier_red: score(
    '0.50',
    [0, 1],
    'In the zone RED, the limit for one payment is multiplied by this.',
  ),
  cognitive_multiplier_critical: score(
    '0.25',
    [0, 1],
    'In the zone CRITICAL, the limit for one payment is multiplied by this.',
  ),
  risk_score_step_up: score('0.60', [0.05, 1], 'A risk score of this or more is a STEP_UP.'),
  risk_score_hard_decline: score('0.85', [0.05, 1], 'A risk score of this or more is a DECLINE.'),
  intent_anomaly_step_up: score(
    '0.50',
    [0.1, 1],
    'An intent anomaly score of this or more is a STEP_UP.',
  ),
  intent_anomaly_decline: score(
    '0.95',
    [0.1, 1],
    'An intent anomaly score of this or more is a DECLINE.',
  ),
  intent_anomaly_min_history: whole(
    '10',
    [0, 1000],
    'How many approved payments an agent needs before new ones are compared with ' +
      'them; above 200, they never are.',
  ),
  step_up_amount_threshold: money('An amount of this or more is a STEP_UP.'),
  new_merchant_step_up_amount: money(
    'An amount of this or more is a STEP_UP where the agent has no earlier approval ' +
      'for the merchant.',
  ),
  velocity_burst_count: whole(
    '10',
    [1, 1_000_000],
    'More decisions about one agent than this, within the window, are a STEP_UP.',
  ),
  velocity_burst_window_seconds: whole(
    '60',
    [10, 3600],
    'The length of the window in which decisions are counted, in seconds.',
  ),
  verified_min_successful_txns: whole(
    '50',
    [1, 1_000_000],
    'The successful payments that an agent needs for VERIFIED.',
  ),
  trusted_min_successful_txns: whole(
    '500',
    [1, 1_000_000],
    'The successful payments that an agent needs for TRUSTED.',
  ),
  verified_min_account_age_hours: score(
    '168',
    [0, 17_520],
    'The age in hours that an agent needs for VERIFIED.',
  ),
  trusted_min_account_age_hours: score(
    '720',
    [0, 17_520],
    'The age in hours that an agent needs for TRUSTED.',
  ),
  verified_max_decline_rate: score('0.05', [0, 1], 'VERIFIED needs a decline rate below this.'),
  trusted_max_decline_rate: score('0.02', [0, 1], 'TRUSTED needs a decline rate below this.'),
  verified_min_dispute_deflection_rate: score(
    '0.80',
    [0, 1],
    'VERIFIED needs a dispute deflection rate above this.',
  ),
  trusted_min_dispute_deflection_rate: score(
    '0.90',
    [0, 1],
    'TRUSTED needs a dispute deflection rate above this.',
  ),
} satisfies Record<string, ThresholdField>;

type Name = keyof typeof fields;

function shapeOf(form: keyof ThresholdField) {
  const schemas = Object.entries(fields).map(([name, field]) => [name, field[form]]);
  return Object.fromEntries(schemas) as Record<Name, z.ZodType>;
}

export const setThresholds = shapeOf('set');
export const answeredThresholds = shapeOf('answered');

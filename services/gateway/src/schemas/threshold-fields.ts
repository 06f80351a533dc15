import { maxCurrencyDecimals } from '@countersign/kernel/currency';
import { type ThresholdField, thresholdTable } from '@countersign/kernel/threshold';
import { z } from 'zod';
import { amount, moneyText } from './amount.js';
import { plainNumber } from './number.js';

const texts: Record<ThresholdField, string> = {
  authorize_min_kya_score: 'A KYA score below this is a DECLINE.',
  authorize_step_up_threshold: 'A KYA score below this is a STEP_UP.',
  cts_green_threshold: 'The lowest KYA score of the zone GREEN.',
  cts_amber_threshold: 'The lowest KYA score of the zone AMBER.',
  cts_red_threshold: 'The lowest KYA score of the zone RED; below it is CRITICAL.',
  cognitive_multiplier_red: 'In the zone RED, the limit for one payment is multiplied by this.',
  cognitive_multiplier_critical:
    'In the zone CRITICAL, the limit for one payment is multiplied by this.',
  risk_score_step_up: 'A risk score of this or more is a STEP_UP.',
  risk_score_hard_decline: 'A risk score of this or more is a DECLINE.',
  intent_anomaly_step_up: 'An intent anomaly score of this or more is a STEP_UP.',
  intent_anomaly_decline: 'An intent anomaly score of this or more is a DECLINE.',
  intent_anomaly_min_history:
    'How many approved payments an agent needs before new ones are compared with ' +
    'them; above 200, they never are.',
  step_up_amount_threshold: 'An amount of this or more is a STEP_UP.',
  new_merchant_step_up_amount:
    'An amount of this or more is a STEP_UP where the agent has no earlier approval ' +
    'for the merchant.',
  velocity_burst_count:
    'More decisions about one agent than this, within the window, are a STEP_UP.',
  velocity_burst_window_seconds:
    'The length of the window in which decisions are counted, in seconds.',
  verified_min_successful_txns: 'The successful payments that an agent needs for VERIFIED.',
  trusted_min_successful_txns: 'The successful payments that an agent needs for TRUSTED.',
  verified_min_account_age_hours: 'The age in hours that an agent needs for VERIFIED.',
  trusted_min_account_age_hours: 'The age in hours that an agent needs for TRUSTED.',
  verified_max_decline_rate: 'VERIFIED needs a decline rate below this.',
  trusted_max_decline_rate: 'TRUSTED needs a decline rate below this.',
  verified_min_dispute_deflection_rate: 'VERIFIED needs a dispute deflection rate above this.',
  trusted_min_dispute_deflection_rate: 'TRUSTED needs a dispute deflection rate above this.',
};

interface Schemas {
  /** What may be set; null reverts to the default. */
  set: z.ZodType;
  answered: z.ZodType;
}

/** In the currency of whatever payment it is compared with; null if no amount is set. */
function money(text: string): Schemas {
  const unset = `${text} Default: null, no amount.`;
  return {
    set: optional(amount(maxCurrencyDecimals), `${unset} At most ${maxCurrencyDecimals} decimals.`),
    answered: moneyText('500.00')
      .nullable()
      .meta({ description: unset, examples: [null] }),
  };
}

/** Bounds of single fields; what must hold between them is judged against the resolved values. */
function schemasOf(row: (typeof thresholdTable)[number]): Schemas {
  const text = texts[row.field];
  if (row.kind === 'amount') return money(text);
  const { kind, fallback, min, max } = row;
  const shown = Number.isInteger(fallback) ? fallback : fallback.toFixed(2);
  const description = `${text} Default: ${shown}.`;
  const bare = kind === 'integer' ? z.int() : z.number();
  const set = bare.min(min).max(max);
  return {
    set: optional(kind === 'integer' ? set : plainNumber(set), description),
    answered: bare.meta({ description, examples: [fallback] }),
  };
}

function optional(schema: z.ZodType, description: string): z.ZodType {
  return schema.nullable().optional().meta({ description });
}

function shapeOf(form: keyof Schemas) {
  const schemas = thresholdTable.map((row) => [row.field, schemasOf(row)[form]]);
  return Object.fromEntries(schemas) as Record<ThresholdField, z.ZodType>;
}

export const setThresholds = shapeOf('set');
export const answeredThresholds = shapeOf('answered');

import { z } from 'zod';
import { moneyText } from './amount.js';

const amounts: readonly string[] = ['step_up_amount_threshold', 'new_merchant_step_up_amount'];
const counts: readonly string[] = [
  'intent_anomaly_min_history',
  'velocity_burst_count',
  'velocity_burst_window_seconds',
  'verified_min_successful_txns',
  'trusted_min_successful_txns',
];

/** Thresholds as they are answered: numbers, and amounts as text or null where none is set. */
export function answeredThresholds(fields: Readonly<Record<string, z.ZodType>>) {
  return z.object(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, answered(name, field.meta())]),
    ),
  );
}

function answered(name: string, { description = '' }: { description?: string } = {}): z.ZodType {
  if (amounts.includes(name)) {
    return moneyText('500.00')
      .nullable()
      .meta({ description, examples: [null] });
  }
  const number = counts.includes(name) ? z.int() : z.number();
  const fallback = /Default: ([\d.]+)\./.exec(description)?.[1];
  return number.meta({ description, examples: [Number(fallback)] });
}

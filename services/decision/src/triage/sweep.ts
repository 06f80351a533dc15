import { type Sweep, sweepOlderSql } from '@countersign/runtime/retention';

/** Sightings count for a day, and the cooldown after a suspicion lasts one. */
const watchDays = 2;
/** Longer than the bus retains events: a report may arrive before its decision. */
const reportDays = 8;

/** Rows past their retention; cases and patterns are kept for `caseDays`. */
export function triageSweeps(caseDays: number): Sweep[] {
  return [
    { sql: sweepOlderSql('agent_watch', 'updated_at'), values: [watchDays] },
    { sql: sweepOlderSql('fraud_verdict', 'heard_at'), values: [reportDays] },
    { sql: sweepOlderSql('fraud_case', 'created_at'), values: [caseDays] },
    { sql: sweepOlderSql('fraud_pattern', 'created_at'), values: [caseDays] },
  ];
}

import type { Clock } from '@countersign/kernel/clock';

const dayMs = 86_400_000;
const midnight = (Math.floor(Date.now() / dayMs) + 1) * dayMs;

/** The time, which stops before midnight UTC: then another day of every limit would begin. */
export const withinToday: Clock = () => Math.min(Date.now(), midnight - 1);

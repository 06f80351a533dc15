export const trustLevels = ['REGISTERED', 'VERIFIED', 'TRUSTED'] as const;
export type TrustLevel = (typeof trustLevels)[number];
export type EarnedLevel = Exclude<TrustLevel, 'REGISTERED'>;

/** One level at a time; null at the top. */
export function nextTrustLevel(level: string): EarnedLevel | null {
  if (level === 'REGISTERED') return 'VERIFIED';
  return level === 'VERIFIED' ? 'TRUSTED' : null;
}

/** What an agent is measured by. Rates and scores are 0 to 1, times epoch milliseconds. */
export interface TrustStanding {
  successfulTransactions: number;
  createdAt: number;
  now: number;
  declineRate: number;
  disputeDeflectionRate: number;
  /** Undefined until the agent is scored: then nothing is earned yet. */
  kyaScore?: number | undefined;
}

export interface Criterion {
  required: number;
  actual: number;
  met: boolean;
}

export interface Promotion {
  criteria: Record<
    'successfulTransactions' | 'accountAgeHours' | 'declineRate' | 'disputeDeflectionRate',
    Criterion
  >;
  /** Every criterion is met, and the agent's zone allows it. */
  eligible: boolean;
}

/** Resolved thresholds by public name. */
export type ResolvedThresholds = Readonly<Record<string, number | string | null>>;

const hourMs = 3_600_000;

/**
 * How far an agent is from a level. What an agent's metrics say is met and what promotes it are
 * this one function. Counts and ages suffice when reached; the decline rate must be below its bound
 * and the deflection rate above it, but a perfect rate meets every bound, also the strictest.
 */
export function promotionTo(
  level: EarnedLevel,
  standing: TrustStanding,
  thresholds: ResolvedThresholds,
): Promotion {
  const required = (name: string): number =>
    Number(thresholds[`${level.toLowerCase()}_${name}`] ?? 0);
  const atLeast = (name: string, actual: number): Criterion =>
    criterion(required(name), actual, (bound) => actual >= bound);
  const { successfulTransactions, declineRate, disputeDeflectionRate, kyaScore } = standing;
  const criteria = {
    successfulTransactions: atLeast('min_successful_txns', successfulTransactions),
    accountAgeHours: atLeast('min_account_age_hours', ageHours(standing)),
    declineRate: criterion(
      required('max_decline_rate'),
      declineRate,
      (bound) => declineRate < bound || declineRate === 0,
    ),
    disputeDeflectionRate: criterion(
      required('min_dispute_deflection_rate'),
      disputeDeflectionRate,
      (bound) => disputeDeflectionRate > bound || disputeDeflectionRate === 1,
    ),
  };
  // GREEN or AMBER suffices for VERIFIED, TRUSTED demands GREEN; without bounds nobody is in it.
  const zone = level === 'TRUSTED' ? 'cts_green_threshold' : 'cts_amber_threshold';
  const inZone =
    kyaScore !== undefined && kyaScore >= Number(thresholds[zone] ?? Number.POSITIVE_INFINITY);
  return { criteria, eligible: inZone && Object.values(criteria).every(({ met }) => met) };
}

/** Rounded down: an age shown as reached is reached. */
function ageHours({ createdAt, now }: TrustStanding): number {
  return Math.floor((Math.max(0, now - createdAt) / hourMs) * 100) / 100;
}

function criterion(
  required: number,
  actual: number,
  holds: (required: number) => boolean,
): Criterion {
  return { required, actual, met: holds(required) };
}

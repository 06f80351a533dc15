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

/** The thresholds that a level depends on. VERIFIED takes AMBER or GREEN, TRUSTED takes GREEN. */
const requirements = {
  VERIFIED: requirementsOf('verified', 'cts_amber_threshold'),
  TRUSTED: requirementsOf('trusted', 'cts_green_threshold'),
};

function requirementsOf(level: string, zone: string) {
  return {
    transactions: `${level}_min_successful_txns`,
    ageHours: `${level}_min_account_age_hours`,
    declineRate: `${level}_max_decline_rate`,
    deflectionRate: `${level}_min_dispute_deflection_rate`,
    zone,
  };
}

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
  const names = requirements[level];
  const required = (name: string): number => Number(thresholds[name] ?? 0);
  const { successfulTransactions, declineRate, disputeDeflectionRate, kyaScore } = standing;
  const criteria = {
    successfulTransactions: criterion(required(names.transactions), successfulTransactions, () =>
      hasPaidEnough(level, successfulTransactions, thresholds),
    ),
    accountAgeHours: criterion(
      required(names.ageHours),
      ageHours(standing),
      (bound) => ageHours(standing) >= bound,
    ),
    declineRate: criterion(
      required(names.declineRate),
      declineRate,
      (bound) => declineRate < bound || declineRate === 0,
    ),
    disputeDeflectionRate: criterion(
      required(names.deflectionRate),
      disputeDeflectionRate,
      (bound) => disputeDeflectionRate > bound || disputeDeflectionRate === 1,
    ),
  };
  // Without bounds nobody is in a zone.
  const zone = Number(thresholds[names.zone] ?? Number.POSITIVE_INFINITY);
  const inZone = kyaScore !== undefined && kyaScore >= zone;
  return { criteria, eligible: inZone && Object.values(criteria).every(({ met }) => met) };
}

/** The first criterion by itself: where it is not met, no other has to be looked at. */
export function hasPaidEnough(
  level: EarnedLevel,
  successfulTransactions: number,
  thresholds: ResolvedThresholds,
): boolean {
  return successfulTransactions >= Number(thresholds[requirements[level].transactions] ?? 0);
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

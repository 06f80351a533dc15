export const trustLevels = ['REGISTERED', 'VERIFIED', 'TRUSTED'] as const;
export type TrustLevel = (typeof trustLevels)[number];
type EarnedLevel = Exclude<TrustLevel, 'REGISTERED'>;

/** One level at a time; null at the top. */
export function nextTrustLevel(level: string): EarnedLevel | null {
  if (level === 'REGISTERED') return 'VERIFIED';
  return level === 'VERIFIED' ? 'TRUSTED' : null;
}

/**
 * The figures that an agent's promotion depends on. Rates and scores are 0 to 1, times epoch ms.
 */
export interface TrustStanding {
  successfulTransactions: number;
  createdAt: number;
  now: number;
  declineRate: number;
  disputeDeflectionRate: number;
  /** Undefined until the agent has a score; without one it cannot be promoted. */
  kyaScore?: number | undefined;
}

export interface Criterion {
  required: number;
  actual: number;
  met: boolean;
}

interface Promotion {
  criteria: Record<
    'successfulTransactions' | 'accountAgeHours' | 'declineRate' | 'disputeDeflectionRate',
    Criterion
  >;
  /** Every criterion is met, and the score is in the required zone. */
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
 * How far an agent is from a level. The metrics that the API shows and the promotion itself both
 * use this function. Counts and ages must reach their bound; the decline rate must be below its
 * bound and the deflection rate above it, except that a perfect rate always passes.
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
  // Without configured zones no score qualifies.
  const zone = Number(thresholds[names.zone] ?? Number.POSITIVE_INFINITY);
  const inZone = kyaScore !== undefined && kyaScore >= zone;
  return { criteria, eligible: inZone && Object.values(criteria).every(({ met }) => met) };
}

/** The first criterion on its own, so that callers can skip the others when it is not met. */
export function hasPaidEnough(
  level: EarnedLevel,
  successfulTransactions: number,
  thresholds: ResolvedThresholds,
): boolean {
  return successfulTransactions >= Number(thresholds[requirements[level].transactions] ?? 0);
}

/** Rounded down, so that an age shown as reached has been reached. */
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

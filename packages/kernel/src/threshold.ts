/** Every threshold with its resolved value; amounts are decimal strings or null for none. */
export interface Thresholds {
  authorizeMinKyaScore: number;
  authorizeStepUpThreshold: number;
  ctsGreenThreshold: number;
  ctsAmberThreshold: number;
  ctsRedThreshold: number;
  cognitiveMultiplierRed: number;
  cognitiveMultiplierCritical: number;
  riskScoreStepUp: number;
  riskScoreHardDecline: number;
  intentAnomalyStepUp: number;
  intentAnomalyDecline: number;
  intentAnomalyMinHistory: number;
  stepUpAmountThreshold: string | null;
  newMerchantStepUpAmount: string | null;
  velocityBurstCount: number;
  velocityBurstWindowSeconds: number;
  verifiedMinSuccessfulTxns: number;
  trustedMinSuccessfulTxns: number;
  verifiedMinAccountAgeHours: number;
  trustedMinAccountAgeHours: number;
  verifiedMaxDeclineRate: number;
  trustedMaxDeclineRate: number;
  verifiedMinDisputeDeflectionRate: number;
  trustedMinDisputeDeflectionRate: number;
}

export type ThresholdKey = keyof Thresholds;

/** `authorizeMinKyaScore` is `authorize_min_kya_score` to the public. */
type PublicName<Key extends string> = Key extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${PublicName<Rest>}`
  : Key;

export type ThresholdField = PublicName<ThresholdKey>;

interface Named {
  key: ThresholdKey;
  /** The public name. */
  field: ThresholdField;
}

/** One row of the published table. */
export type ThresholdRow = Named &
  (
    | { kind: 'number' | 'integer'; fallback: number; min: number; max: number }
    | { kind: 'amount'; fallback: null }
  );

type Bounds = readonly [min: number, max: number];

function number(key: ThresholdKey, fallback: number, [min, max]: Bounds): ThresholdRow {
  return { ...named(key), kind: 'number', fallback, min, max };
}

function integer(key: ThresholdKey, fallback: number, [min, max]: Bounds): ThresholdRow {
  return { ...named(key), kind: 'integer', fallback, min, max };
}

function amount(key: ThresholdKey): ThresholdRow {
  return { ...named(key), kind: 'amount', fallback: null };
}

function named(key: ThresholdKey): Named {
  const field = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { key, field: field as ThresholdField };
}

/** Defaults, and the bounds of each alone; source: the interface, "Thresholds". */
export const thresholdTable: readonly ThresholdRow[] = [
  number('authorizeMinKyaScore', 0.1, [0, 0.5]),
  number('authorizeStepUpThreshold', 0.3, [0, 0.9]),
  number('ctsGreenThreshold', 0.7, [0.01, 0.99]),
  number('ctsAmberThreshold', 0.4, [0.01, 0.99]),
  number('ctsRedThreshold', 0.2, [0.01, 0.99]),
  number('cognitiveMultiplierRed', 0.5, [0, 1]),
  number('cognitiveMultiplierCritical', 0.25, [0, 1]),
  number('riskScoreStepUp', 0.6, [0.05, 1]),
  number('riskScoreHardDecline', 0.85, [0.05, 1]),
  number('intentAnomalyStepUp', 0.5, [0.1, 1]),
  number('intentAnomalyDecline', 0.95, [0.1, 1]),
  integer('intentAnomalyMinHistory', 10, [0, 1000]),
  amount('stepUpAmountThreshold'),
  amount('newMerchantStepUpAmount'),
  integer('velocityBurstCount', 10, [1, 1_000_000]),
  integer('velocityBurstWindowSeconds', 60, [10, 3600]),
  integer('verifiedMinSuccessfulTxns', 50, [1, 1_000_000]),
  integer('trustedMinSuccessfulTxns', 500, [1, 1_000_000]),
  number('verifiedMinAccountAgeHours', 168, [0, 17_520]),
  number('trustedMinAccountAgeHours', 720, [0, 17_520]),
  number('verifiedMaxDeclineRate', 0.05, [0, 1]),
  number('trustedMaxDeclineRate', 0.02, [0, 1]),
  number('verifiedMinDisputeDeflectionRate', 0.8, [0, 1]),
  number('trustedMinDisputeDeflectionRate', 0.9, [0, 1]),
];

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

/** One row of the published table. `field` is the public name, `key` the internal one. */
export type ThresholdRow =
  | {
      key: ThresholdKey;
      field: string;
      kind: 'number' | 'integer';
      fallback: number;
      min: number;
      max: number;
    }
  | { key: ThresholdKey; field: string; kind: 'amount'; fallback: null };

function number(key: ThresholdKey, fallback: number, bounds: [number, number]): ThresholdRow {
  return { key, field: publicName(key), kind: 'number', fallback, min: bounds[0], max: bounds[1] };
}

function integer(key: ThresholdKey, fallback: number, bounds: [number, number]): ThresholdRow {
  return { key, field: publicName(key), kind: 'integer', fallback, min: bounds[0], max: bounds[1] };
}

function amount(key: ThresholdKey): ThresholdRow {
  return { key, field: publicName(key), kind: 'amount', fallback: null };
}

function publicName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

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

/** `lower` must be below `upper`, or may be equal to it if `orEqual` is set. */
export interface ThresholdOrder {
  lower: ThresholdKey;
  upper: ThresholdKey;
  orEqual: boolean;
}

function below(lower: ThresholdKey, upper: ThresholdKey): ThresholdOrder {
  return { lower, upper, orEqual: false };
}

function atMost(lower: ThresholdKey, upper: ThresholdKey): ThresholdOrder {
  return { lower, upper, orEqual: true };
}

/** Only between numbers. */
export const thresholdOrders: readonly ThresholdOrder[] = [
  below('authorizeMinKyaScore', 'authorizeStepUpThreshold'),
  below('ctsAmberThreshold', 'ctsGreenThreshold'),
  below('ctsRedThreshold', 'ctsAmberThreshold'),
  atMost('cognitiveMultiplierCritical', 'cognitiveMultiplierRed'),
  below('riskScoreStepUp', 'riskScoreHardDecline'),
  atMost('intentAnomalyStepUp', 'intentAnomalyDecline'),
  atMost('verifiedMinSuccessfulTxns', 'trustedMinSuccessfulTxns'),
  atMost('verifiedMinAccountAgeHours', 'trustedMinAccountAgeHours'),
  atMost('trustedMaxDeclineRate', 'verifiedMaxDeclineRate'),
  atMost('verifiedMinDisputeDeflectionRate', 'trustedMinDisputeDeflectionRate'),
];

export const defaultThresholds: Thresholds = resolveThresholds({});

/** What a Principal has set, keyed by public field name. */
export type Overrides = Record<string, number | string>;

export function resolveThresholds(overrides: Overrides): Thresholds {
  const entries = thresholdTable.map(({ key, field, fallback }) => [
    key,
    overrides[field] ?? fallback,
  ]);
  return Object.fromEntries(entries) as Thresholds;
}

/** The same values keyed as the public interface names them. */
export function publicThresholds(thresholds: Thresholds): Record<string, number | string | null> {
  return Object.fromEntries(thresholdTable.map(({ key, field }) => [field, thresholds[key]]));
}

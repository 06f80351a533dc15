import { type ThresholdKey, type Thresholds, thresholdTable } from '@countersign/kernel/threshold';

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

import { thresholdTable } from '@countersign/kernel/threshold';
import type { Thresholds as ThresholdsMessage } from '@countersign/proto/decision';
import { defaultThresholds, type Overrides, publicThresholds, resolveThresholds } from './table.js';

/** Resolved values, overrides and defaults, each as JSON keyed by public name. */
export function thresholdsMessage(overrides: Overrides): ThresholdsMessage {
  return {
    resolvedJson: JSON.stringify(publicThresholds(resolveThresholds(overrides))),
    overridesJson: JSON.stringify(inTableOrder(overrides)),
    defaultsJson: JSON.stringify(publicThresholds(defaultThresholds)),
  };
}

/** In the order of the table, since JSONB does not preserve the order of keys. */
function inTableOrder(overrides: Overrides): Overrides {
  const set = thresholdTable.flatMap(({ field }) => {
    const value = overrides[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(set);
}

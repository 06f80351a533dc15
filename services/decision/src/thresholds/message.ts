import type { Thresholds as ThresholdsMessage } from '@countersign/proto/decision';
import {
  defaultThresholds,
  type Overrides,
  publicThresholds,
  resolveThresholds,
  thresholdTable,
} from './table.js';

/** Resolved values, what was set, and what holds without, each as JSON keyed by public name. */
export function thresholdsMessage(overrides: Overrides): ThresholdsMessage {
  return {
    resolvedJson: JSON.stringify(publicThresholds(resolveThresholds(overrides))),
    overridesJson: JSON.stringify(inTableOrder(overrides)),
    defaultsJson: JSON.stringify(publicThresholds(defaultThresholds)),
  };
}

/** The database keeps keys in an order of its own. */
function inTableOrder(overrides: Overrides): Overrides {
  const set = thresholdTable.flatMap(({ field }) => {
    const value = overrides[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(set);
}

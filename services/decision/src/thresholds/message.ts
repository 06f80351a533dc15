import type { Thresholds as ThresholdsMessage } from '@countersign/proto/decision';
import { defaultThresholds, type Overrides, publicThresholds, resolveThresholds } from './table.js';

/** Resolved values, what was set, and what holds without, each as JSON keyed by public name. */
export function thresholdsMessage(overrides: Overrides): ThresholdsMessage {
  return {
    resolvedJson: JSON.stringify(publicThresholds(resolveThresholds(overrides))),
    overridesJson: JSON.stringify(overrides),
    defaultsJson: JSON.stringify(publicThresholds(defaultThresholds)),
  };
}

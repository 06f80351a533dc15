import { canonicalJson, sha256Hex } from '@countersign/kernel/canonical';
import type { MandateFacts } from './facts-shape.js';
import { ruleSet } from './rules/index.js';
import { anomalyModel } from './scores/anomaly.js';
import { kyaModel } from './scores/kya.js';
import { riskModel } from './scores/risk.js';
import { canonicalThresholds } from './thresholds/canonical.js';
import type { Thresholds } from './thresholds/table.js';

export interface Policy {
  thresholds: Thresholds;
  mandate: MandateFacts | null;
}

/**
 * `sha256:` over the canonical JSON of everything a verdict was judged by that is not its input:
 * the rule set, the score models, the thresholds, and the hash of the mandate. Decisions with one
 * policy hash were judged by the same law.
 */
export function policyHash({ thresholds, mandate }: Policy): string {
  const mandateHash = canonicalJson(mandate?.mandateHash ?? null);
  const values = canonicalThresholds(thresholds).text;
  return `sha256:${sha256Hex(`{"mandateHash":${mandateHash},${law},"thresholds":${values}}`)}`;
}

const models = { kya: kyaModel, anomaly: anomalyModel, risk: riskModel };

/** Canonical JSON has the names of members in order; these are the same for every decision. */
const law = `"models":${canonicalJson(models)},"ruleSet":${canonicalJson(ruleSet)}`;

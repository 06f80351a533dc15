import { canonicalJson, sha256Hex } from '@countersign/kernel/canonical';
import type { Thresholds } from '@countersign/kernel/threshold';
import { anomalyModel } from '../anomaly/score.js';
import type { MandateFacts } from '../facts/shape.js';
import { ruleSet } from '../rules/index.js';
import { kyaModel } from '../scores/kya.js';
import { riskModel } from '../scores/risk.js';
import { canonicalThresholds } from '../thresholds/canonical.js';

interface Policy {
  thresholds: Thresholds;
  mandate: MandateFacts | null;
}

/**
 * `sha256:` over the canonical JSON of everything besides the input that determines a verdict: the
 * rule set, the score models, the thresholds, and the hash of the mandate. Decisions with the same
 * policy hash were evaluated under the same policy.
 */
export function policyHash({ thresholds, mandate }: Policy): string {
  const mandateHash = canonicalJson(mandate?.mandateHash ?? null);
  const values = canonicalThresholds(thresholds).text;
  return `sha256:${sha256Hex(`{"mandateHash":${mandateHash},${versions},"thresholds":${values}}`)}`;
}

/** The versions of the score models of this release. */
export const models = { kya: kyaModel, anomaly: anomalyModel, risk: riskModel };

/** The part that is the same for every decision; canonical JSON sorts members by name. */
const versions = `"models":${canonicalJson(models)},"ruleSet":${canonicalJson(ruleSet)}`;

import { Decimal } from '@countersign/kernel/money';
import { anomalyScore } from './anomaly/score.js';
import type { Facts } from './facts/shape.js';
import { chosenMandate } from './mandate-choice.js';
import type { Subject } from './rules/rule.js';
import { kyaScore } from './scores/kya.js';
import { riskScore } from './scores/risk.js';
import { cognitiveMultiplier, zoneOf } from './scores/zone.js';

/** Whether the chain passed every check, including those of the ledger. */
export function isIntentVerified({ intent, intentState }: Facts): boolean {
  return intent?.verified === true && intentState === undefined;
}

/** In IMMEDIATE mode the user signs the final values, so a verified chain shows they were seen. */
function seenByHuman(facts: Facts): boolean {
  return facts.intent?.mode === 'IMMEDIATE' && isIntentVerified(facts);
}

/** The facts with everything that rules need computed from them; null for an unknown agent. */
export function subjectOf(facts: Facts): Subject | null {
  const { agent, principal, program, payment, thresholds } = facts;
  if (!agent || !principal) return null;
  const kya = kyaScore({
    state: facts.profile?.state ?? null,
    principalVerified: principal.verificationStatus === 'VERIFIED',
    keyRegistered: agent.keyRegistered,
    agentCreatedAt: agent.createdAt,
    now: Date.parse(facts.decidedAt),
  });
  const zone = zoneOf(kya.score, thresholds);
  const anomaly = anomalyScore(facts, seenByHuman(facts));
  return {
    facts,
    payment,
    amount: new Decimal(payment.amount),
    agent,
    principal,
    program,
    mandate: chosenMandate(facts),
    thresholds,
    kya,
    zone,
    multiplier: cognitiveMultiplier(zone, thresholds),
    anomaly,
    risk: riskScore({
      anomalyScore: anomaly.score,
      kyaScore: kya.score,
      velocityIndicator: facts.velocity?.exceeded ?? false,
      intentChainFailed: facts.intent !== undefined && !isIntentVerified(facts),
      riskTier: principal.riskTier,
    }),
  };
}

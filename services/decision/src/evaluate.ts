import { inReasonOrder, reasonByCode } from '@countersign/kernel/reason';
import type { DecisionWord } from '@countersign/kernel/vocabulary';
import { anomalyCodes, anomalyScore } from './anomaly/score.js';
import type { Facts } from './facts/shape.js';
import { agentNotFound } from './rules/agent-known.js';
import { rules } from './rules/index.js';
import { effectOf, type Finding, type Subject } from './rules/rule.js';
import { windowLimitCodes } from './rules/window-limits.js';
import { sentence } from './rules/wording.js';
import { riskScore } from './scores/risk.js';
import { isIntentVerified, subjectOf } from './subject.js';
import type { Verdict } from './verdict.js';

/** Pure: the same facts always give the same verdict. All violations are collected. */
export function evaluate(facts: Facts): Verdict {
  const subject = subjectOf(facts);
  if (!subject) return conclude(unknownAgent(facts), [agentNotFound]);
  const findings: Finding[] = [];
  for (const rule of rules) findings.push(...rule.check(subject));
  return conclude(subject, withinChallenges(facts, findings), facts);
}

const burst: Finding = {
  code: 'VELOCITY_BURST',
  detail:
    'the agent has the maximum number of open challenges,' +
    ' have one of them confirmed or denied, or wait until one expires',
  effect: 'DECLINE',
};

/**
 * Declines what would be one challenge too many for the agent; other declines stay as they are.
 */
function withinChallenges({ openChallengesFull }: Facts, findings: Finding[]): Finding[] {
  if (!openChallengesFull || strictest(findings) !== 'STEP_UP') return findings;
  const others = findings.filter(({ code }) => code !== burst.code);
  return inReasonOrder([...others, burst].map(({ code }) => code)).map(
    (code) => others.find((finding) => finding.code === code) ?? burst,
  );
}

/** Computed before the rules run. */
type Judged = Pick<Subject, 'mandate' | 'multiplier' | 'anomaly' | 'risk'> & {
  agent: Pick<Subject['agent'], 'trustLevel'>;
  kya: Subject['kya'] | null;
  zone: Subject['zone'] | null;
};

const nothingFound = sentence(['every check passed']);

/** One literal: assembling an object of this size by spreading costs more than evaluating. */
function conclude(
  { agent, mandate, kya, zone, multiplier, anomaly, risk }: Judged,
  findings: Finding[],
  facts?: Facts,
): Verdict {
  const reasonCodes = findings.map(({ code }) => code);
  const decision = strictest(findings);
  return {
    decision,
    reasonCodes,
    reasonDetail: findings.length === 0 ? nothingFound : sentence(clauses(findings, decision)),
    limitCodes: reasonCodes.filter((code) => windowLimitCodes.includes(code)),
    mandate,
    trustLevel: agent.trustLevel,
    kyaScore: kya?.score ?? 0,
    kya,
    zone,
    cognitiveMultiplier: multiplier,
    anomaly,
    risk,
    riskReasonCodes: [...reasonCodes.filter(isOfRisk), ...anomalyCodes(anomaly)],
    highestSeverity: highestSeverity(reasonCodes),
    viVerified: facts !== undefined && isIntentVerified(facts),
    viMode: facts?.intent?.mode ?? null,
    findings,
  };
}

function clauses(findings: readonly Finding[], decision: DecisionWord): string[] {
  const isDeclined = decision === 'DECLINE';
  return findings.map(({ detail, declinedDetail = detail }) =>
    isDeclined ? declinedDetail : detail,
  );
}

function isOfRisk(code: string): boolean {
  return reasonByCode(code)?.category === 'trust_and_risk';
}

/** DECLINE > STEP_UP > APPROVE. */
function strictest(findings: readonly Finding[]): DecisionWord {
  const effects = findings.map(({ code, effect }) => effect ?? effectOf(code));
  if (effects.includes('DECLINE')) return 'DECLINE';
  return effects.length > 0 ? 'STEP_UP' : 'APPROVE';
}

const severities = ['NONE', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];

function highestSeverity(codes: readonly string[]): string {
  const ranks = codes.map((code) => severities.indexOf(reasonByCode(code)?.severity ?? 'NONE'));
  return severities[Math.max(0, ...ranks)] ?? 'NONE';
}

/** For an unknown agent: no scores, no zone, and no other rule. */
function unknownAgent(facts: Facts): Judged {
  const anomaly = anomalyScore(facts);
  return {
    agent: { trustLevel: 'REGISTERED' },
    mandate: null,
    kya: null,
    zone: null,
    multiplier: 1,
    anomaly,
    risk: riskScore({
      anomalyScore: anomaly.score,
      kyaScore: 0,
      velocityIndicator: false,
      intentChainFailed: false,
      riskTier: null,
    }),
  };
}

import { canonicalJson } from '@countersign/kernel/canonical';
import { failSafeCode } from '@countersign/kernel/fail-safe';
import { isRecord } from '@countersign/kernel/is-record';
import type { AuthorizationEntry } from '@countersign/proto/ledger';
import { evaluate } from './evaluate.js';
import type { Facts } from './facts/shape.js';
import { models, policyHash } from './record/policy.js';
import {
  type DecisionRecord,
  incompleteRecord,
  isIntact,
  readRecord,
} from './record/read-record.js';
import type { RecordedScores } from './record/stored-facts.js';
import { ruleSet, rules } from './rules/index.js';
import { subjectOf } from './subject.js';
import type { Verdict } from './verdict.js';

/**
 * The public explanation of one record. The inputs are returned completely, so their keys are
 * converted to wire names here rather than field by field in a view.
 */
export function explain(entry: AuthorizationEntry): Record<string, unknown> {
  const [first] = entry.decisionHistory;
  const { reason_detail, counters } = told(entry);
  const head = {
    authorization_id: entry.id,
    decision: first?.decision ?? entry.decision,
    reason_detail,
    counters,
    policy_hash: entry.policyHash,
    input_hash: entry.inputHash,
  };
  return { ...head, ...evaluatedAgain(entry) };
}

function evaluatedAgain(entry: AuthorizationEntry): Record<string, unknown> {
  try {
    const record = readRecord(entry);
    return record ? { judged: true, ...judgement(record, entry) } : withoutJudgement(entry);
  } catch (error) {
    // What is intact and cannot be evaluated is a defect of this release.
    if (isIntact(entry)) throw error;
    return changed({ scores: null, inputs: storedObject(entry) });
  }
}

/** Something was recorded, and what is left of it is no longer that. */
function changed(left: { scores: unknown; inputs: unknown }): Record<string, unknown> {
  return { judged: true, facts_intact: false, reproduced: false, rules: [], ...left };
}

/** What is stored in place of facts, as far as it is an object. */
function storedObject({ factsJson }: AuthorizationEntry): unknown {
  try {
    const { facts } = JSON.parse(factsJson) as { facts?: unknown };
    return isRecord(facts) ? wireNames(facts) : {};
  } catch {
    return {};
  }
}

/** Shows what is on record where nothing can be evaluated again. */
function withoutJudgement(entry: AuthorizationEntry): Record<string, unknown> {
  const left = incompleteRecord(entry);
  if (left) return changed({ scores: wireNames(left.scores), inputs: wireNames(left.facts) });
  const stored = JSON.parse(entry.factsJson) as unknown;
  if (!hasModel(stored)) return changed({ scores: null, inputs: storedObject(entry) });
  return { judged: false, inputs: wireNames(stored), rules: [], scores: null };
}

/** True for a fail-safe answer, and for facts of a later release. */
function hasModel(stored: unknown): boolean {
  if (!isRecord(stored)) return false;
  return typeof stored.model === 'string' || hasModel(stored.facts);
}

/**
 * What the answer said of that moment: what was used of the limits is not among the facts that a
 * decision is made from, and the sentence names it. An answer that failed safe says 0 without
 * having read it, also where the payment was judged behind it. The ledger gives an empty object for
 * an answer that was changed beyond reading.
 */
function told({ answer }: AuthorizationEntry) {
  const said = JSON.parse(answer) as Record<string, unknown> & { reason_codes?: string[] };
  const counters = {
    daily_amount_used: said.daily_amount_used,
    monthly_amount_used: said.monthly_amount_used,
    daily_count_used: said.daily_count_used,
    monthly_count_used: said.monthly_count_used,
  };
  const { reason_codes: codes, reason_detail = '' } = said;
  const isKnown = codes !== undefined && !codes.includes(failSafeCode);
  return { reason_detail, counters: isKnown ? counters : null };
}

function judgement(record: DecisionRecord, entry: AuthorizationEntry): Record<string, unknown> {
  const { facts, scores } = record;
  const verdict = evaluate(facts);
  const intact = record.inputHash === entry.inputHash;
  return {
    // Separate from `reproduced`: a release may change rules, but nothing may change the facts.
    facts_intact: intact,
    reproduced:
      intact &&
      verdict.kyaScore === entry.kyaScore &&
      verdict.risk.score === entry.riskScore &&
      hasScores(verdict, scores) &&
      sameAsFirst(verdict, entry),
    reason_codes: verdict.reasonCodes,
    evaluated_with: todaysPolicy(facts, verdict),
    rules: ruleOutcomes(facts),
    scores: wireNames(scores),
    inputs: wireNames(facts),
  };
}

/**
 * What this release evaluates with. Its hash is the recorded one unless a release has changed the
 * rules or a model since; where it is the same, another result has no such reason.
 */
function todaysPolicy({ thresholds }: Facts, { mandate }: Verdict) {
  return { rule_set: ruleSet, models, policy_hash: policyHash({ thresholds, mandate }) };
}

/** All parts, since all of them are shown. */
function hasScores({ kya, zone, anomaly, risk }: Verdict, shown: RecordedScores | null) {
  return shown !== null && compared({ kya, zone, anomaly, risk }) === compared(shown);
}

/** Without binary noise: the last digit of a power may be another in another release of Node.js. */
function compared(scores: RecordedScores): string {
  const text = JSON.stringify(scores, (_name, part: unknown) =>
    typeof part === 'number' ? Number(part.toPrecision(12)) : part,
  );
  return canonicalJson(JSON.parse(text));
}

function sameAsFirst(
  verdict: { decision: string; reasonCodes: string[] },
  { decisionHistory: [first] }: AuthorizationEntry,
): boolean {
  return (
    first === undefined ||
    (first.decision === verdict.decision && first.reasonCodes.join() === verdict.reasonCodes.join())
  );
}

function ruleOutcomes(facts: Facts): unknown[] {
  const subject = subjectOf(facts);
  if (!subject) {
    return [{ rule: 'agent-known', outcome: 'FIRED', reason_codes: ['AGENT_NOT_FOUND'] }];
  }
  const outcomes = rules.map((rule) => {
    const findings = rule.check(subject);
    return {
      rule: rule.name,
      outcome: findings.length > 0 ? 'FIRED' : 'PASSED',
      reason_codes: findings.map(({ code }) => code),
    };
  });
  if (!declinesOpenChallenges(facts)) return outcomes;
  return [
    ...outcomes,
    { rule: 'open-challenges', outcome: 'FIRED', reason_codes: ['VELOCITY_BURST'] },
  ];
}

/** The rule for short windows uses the same code with the effect STEP_UP. */
function declinesOpenChallenges(facts: Facts): boolean {
  return evaluate(facts).findings.some(
    ({ code, effect }) => code === 'VELOCITY_BURST' && effect === 'DECLINE',
  );
}

/** camelCase keys in any depth become snake_case; values stay. */
function wireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [wireName(key), wireNames(member)]),
  );
}

/** Leaves keys that are data, such as outcome types, as they are. */
function wireName(key: string): string {
  if (!/^[a-z]/.test(key)) return key;
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

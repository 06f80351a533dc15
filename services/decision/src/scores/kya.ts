import type { DecayedCounter, MarkKind, ProfileState } from '../profile/state.js';
import { halfLives } from '../profile/state.js';
import { dayMs, restAfter } from './decay.js';
import { clampToOne, roundScore } from './rounding.js';

export const kyaModel = 'kya-1';

export interface KyaInput {
  /** Null before the agent's first decision; the score is then that of the prior. */
  state: ProfileState | null;
  principalVerified: boolean;
  /** Whether a key is registered, which requires a valid proof of possession. */
  keyRegistered: boolean;
  agentCreatedAt: string;
  /** Epoch milliseconds. */
  now: number;
}

export interface KyaResult {
  model: typeof kyaModel;
  score: number;
  compliance: number;
  outcomes: number;
  consistency: number;
  identity: number;
  tenure: number;
  core: number;
  /** Caps that apply, including that on the daily rise. */
  caps: Array<{ name: string; limit: number }>;
}

type Components = Pick<
  KyaResult,
  'compliance' | 'outcomes' | 'consistency' | 'identity' | 'tenure'
>;

const floor = 0.01;
const tenureHours = 720;
const tenurePayments = 500;
const risePerDay = 0.05;
const consistencyPrior = 5;

/** How trustworthy the agent is: 0 to 1, four decimals. Pure. */
export function kyaScore(input: KyaInput): KyaResult {
  const components = kyaComponents(input);
  const { compliance, outcomes, consistency, identity, tenure } = components;
  const core = coreOf(components);
  const free = uncapped(core, components);
  const caps = kyaCaps(input, free);
  // One literal: assembling it by spreading would cost as much as the whole computation.
  return {
    model: kyaModel,
    score: roundScore(capped(free, caps)),
    compliance,
    outcomes,
    consistency,
    identity,
    tenure,
    core,
    caps,
  };
}

/**
 * The score before rounding, from which the next rise is limited. From a rounded score an agent
 * that pays every minute would never rise: the rise allowed in a minute is below four decimals.
 */
export function unroundedScore(input: KyaInput): number {
  const components = kyaComponents(input);
  const free = uncapped(coreOf(components), components);
  return capped(free, kyaCaps(input, free));
}

function coreOf({ compliance, outcomes, consistency }: Components): number {
  return Math.exp(
    0.4 * Math.log(Math.max(floor, compliance)) +
      0.35 * Math.log(Math.max(floor, outcomes)) +
      0.25 * Math.log(Math.max(floor, consistency)),
  );
}

function uncapped(core: number, { identity, tenure }: Components): number {
  return core * (0.8 + 0.1 * identity + 0.1 * tenure);
}

function capped(free: number, caps: KyaResult['caps']): number {
  return caps.reduce((least, { limit }) => Math.min(least, limit), free);
}

/** The lowest component, which is named as the reason of a low score. */
export function weakestComponent(result: KyaResult): keyof Components {
  const candidates = ['compliance', 'outcomes', 'consistency', 'identity', 'tenure'] as const;
  return candidates.reduce((weakest, name) => (result[name] < result[weakest] ? name : weakest));
}

function kyaComponents(input: KyaInput): Components {
  const count = decayedCounts(input);
  const share = count('approvals') > 0 ? count('verifiedApprovals') / count('approvals') : 0;
  const ageHours = Math.max(0, input.now - Date.parse(input.agentCreatedAt)) / 3_600_000;
  const payments = input.state?.totals.successful ?? 0;
  return {
    compliance: beta(count('complianceGood'), 4 * count('complianceBad')),
    outcomes: beta(count('outcomeGood'), count('outcomeBad')),
    consistency:
      (consistencyPrior * 0.75 + count('consistencySum')) /
      (consistencyPrior + count('consistencyCount')),
    identity:
      (input.principalVerified ? 0.3 : 0) +
      (input.keyRegistered ? 0.35 : 0) +
      0.35 * clampToOne(share),
    tenure:
      0.5 * Math.min(1, ageHours / tenureHours) +
      0.5 * Math.min(1, Math.log(1 + payments) / Math.log(1 + tenurePayments)),
  };
}

/** Mean of a beta distribution with prior mean 0.75 and strength 8. */
function beta(good: number, bad: number): number {
  return (6 + good) / (8 + good + bad);
}

/** Reads a counter as of now. Removing a contribution may leave a rounding error below zero. */
function decayedCounts({ state, now }: KyaInput): (counter: DecayedCounter) => number {
  if (!state) return () => 0;
  const { decayed } = state;
  const rest = restAfter(Math.max(0, now - state.asOf));
  return (counter) => Math.max(0, decayed[counter] * rest(halfLives[counter]));
}

/** The caps that apply. Avoids intermediate arrays, since it runs twice for every payment. */
function kyaCaps(input: KyaInput, free: number): KyaResult['caps'] {
  const { state, now } = input;
  if (!state) return [];
  const caps: KyaResult['caps'] = [];
  const within = (kind: MarkKind, days: number): number => {
    let marks = 0;
    for (const { at } of state.marks[kind]) if (now - at < days * dayMs) marks += 1;
    return marks;
  };
  const add = (name: string, limit: number): void => {
    if (limit < free) caps.push({ name, limit });
  };
  if (within('fraud', 90) > 0) add('CONFIRMED_FRAUD', 0.19);
  if (within('unauthorized', 30) > 0) add('CONFIRMED_UNAUTHORIZED', 0.39);
  const chargebacks = within('chargeback', 30);
  if (chargebacks > 0) add('CHARGEBACK', 0.69);
  if (chargebacks >= 3) add('CHARGEBACK_COUNT', 0.39);
  if (hasHighChargebackRate(input)) add('CHARGEBACK_RATE', 0.39);
  if (within('keyFailure', 1) >= 3) add('AGENT_KEY_FAILURES', 0.39);
  const rise = riseCap(state, now);
  if (rise !== null) add('DAILY_RISE', rise);
  return caps;
}

function hasHighChargebackRate(input: KyaInput): boolean {
  const count = decayedCounts(input);
  const chargeable = count('chargeable');
  return chargeable >= 100 && count('chargebacks') / chargeable > 0.01;
}

/** A score falls at once and rises slowly, so that a burst of good behaviour gains nothing. */
function riseCap({ score }: ProfileState, now: number): number | null {
  if (!score) return null;
  return score.value + risePerDay * (Math.max(0, now - score.at) / dayMs);
}

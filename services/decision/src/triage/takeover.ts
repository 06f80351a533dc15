import type { FraudPatternSuspected } from '@countersign/kernel/event';
import { isKeyFailure } from '../profile/offence.js';
import { noisyOr, roundScore } from '../scores/rounding.js';
import { suspectedCode, type Triaged } from './suspicion.js';

/**
 * Indicators of an account takeover, with the weight of one payment that shows it. An attacker
 * without the agent's key signs with another one; an attacker with the key spends unusually and
 * fast, and humans deny the challenges. A low zone adds little: most agents in one got there by
 * their own behaviour.
 */
const weights = {
  AGENT_KEY_FAILURES: 0.4,
  FRAUD_SUSPICIONS: 0.4,
  STEP_UPS_DENIED: 0.35,
  INTENT_ANOMALIES: 0.3,
  VELOCITY_BURSTS: 0.25,
  LOW_TRUST_ZONE: 0.1,
} as const;
export type Indicator = keyof typeof weights;
const indicators = Object.keys(weights) as Indicator[];

/** Sightings kept of each indicator; more would not add to the suspicion. */
const maxPerIndicator = 3;
const windowMs = 24 * 3_600_000;
/** After a suspicion was published, the same agent raises no other for this long. */
const cooldownMs = 24 * 3_600_000;
const minConfidence = 0.7;
const minConfidenceToSuspend = 0.85;
/** So one of them is in a decision, which is only examined under a Program with fraud triage. */
const minIndicators = 2;

interface Sighting {
  authorizationId: string;
  at: number;
}

/** Recent indicators of one agent, bounded per indicator. */
export interface Watch {
  suspectedAt: number | null;
  sightings: Partial<Record<Indicator, Sighting[]>>;
}

export const emptyWatch: Watch = { suspectedAt: null, sightings: {} };

export function indicatorsIn({ reasonCodes, zone, ...decision }: Triaged): Indicator[] {
  const shown: Record<Indicator, boolean> = {
    AGENT_KEY_FAILURES: isKeyFailure(reasonCodes),
    FRAUD_SUSPICIONS: reasonCodes.includes(suspectedCode),
    STEP_UPS_DENIED: false,
    INTENT_ANOMALIES: decision.intentAnomalyTriggered,
    VELOCITY_BURSTS: decision.triage.velocityIndicator || reasonCodes.includes('VELOCITY_BURST'),
    LOW_TRUST_ZONE: zone === 'RED' || zone === 'CRITICAL',
  };
  return indicators.filter((indicator) => shown[indicator]);
}

/** The watch with one more sighting; a known one, or one that is too old, adds nothing. */
export function withSighting(watch: Watch, indicator: Indicator, sighting: Sighting): Watch {
  const known = watch.sightings[indicator] ?? [];
  const others = known.filter(
    ({ authorizationId }) => authorizationId !== sighting.authorizationId,
  );
  const latest = [...others, sighting].sort(byTime).slice(-maxPerIndicator);
  return { ...watch, sightings: { ...watch.sightings, [indicator]: latest } };
}

type Suspected = Omit<FraudPatternSuspected, 'patternId' | 'agentId'>;

/**
 * Judges whether the agent was taken over, by the sightings of the day before the last one. Each
 * is taken as independent evidence, so confidence is 1 − Π(1 − weight). Null if that is too low,
 * or if the agent was already suspected within a day.
 */
export function suspectTakeover(watch: Watch): { suspected: Suspected; watch: Watch } | null {
  const at = Math.max(...Object.values(watch.sightings).map((seen) => seen.at(-1)?.at ?? 0));
  const { suspectedAt } = watch;
  if (suspectedAt !== null && Math.abs(at - suspectedAt) < cooldownMs) return null;
  const recent = indicators
    .map((indicator) => ({ indicator, seen: within(watch.sightings[indicator] ?? [], at) }))
    .filter(({ seen }) => seen.length > 0);
  const confidence = roundScore(
    noisyOr(recent.flatMap(({ indicator, seen }) => seen.map(() => weights[indicator]))),
  );
  if (recent.length < minIndicators || confidence < minConfidence) return null;
  const sightings = recent.flatMap(({ seen }) => seen).sort(byTime);
  const suspected: Suspected = {
    confidence,
    indicators: recent.map(({ indicator }) => indicator),
    authorizationIds: [...new Set(sightings.map(({ authorizationId }) => authorizationId))],
    recommendedAction: confidence >= minConfidenceToSuspend ? 'SUSPEND_AGENT' : 'REVIEW_AGENT',
  };
  return { suspected, watch: { ...watch, suspectedAt: at } };
}

function within(seen: readonly Sighting[], at: number): Sighting[] {
  return seen.filter((sighting) => sighting.at > at - windowMs);
}

/** Sightings of one instant are ordered by name, not by the order in which events arrived. */
function byTime(a: Sighting, b: Sighting): number {
  return a.at - b.at || (a.authorizationId < b.authorizationId ? -1 : 1);
}

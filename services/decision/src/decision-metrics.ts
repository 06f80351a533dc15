import { type Environment, environments } from '@countersign/kernel/environment';
import { failSafeCode } from '@countersign/kernel/fail-safe';
import type { DecisionWord } from '@countersign/kernel/vocabulary';
import { type Counter, type Metrics, startAtZero } from '@countersign/runtime/metrics';
import { type TriageMetrics, triageMetrics } from './triage/metrics.js';
import type { Verdict } from './verdict.js';

export interface DecisionMetrics {
  /** Recorded decisions. */
  decisions: Counter<'environment' | 'decision'>;
  /** Reason codes of recorded decisions; a decision has several or none. */
  reasons: Counter<'environment' | 'decision' | 'code'>;
  /** Proposals the ledger sent back, by reason. */
  rounds: Counter<'reason'>;
  /** Fail-safe answers, by the code of the fault. */
  failSafes: Counter<'code'>;
  /** Decisions whose attestation failed. */
  unsigned: Counter<'environment'>;
  /** Reads of an agent's facts, from the cache or from identity. */
  agentReads: Counter<'from'>;
  /** Reads of an agent's past payments, by how much had to be transferred. */
  pastReads: Counter<'read'>;
  /** Reads of the short velocity windows, by outcome. */
  velocityReads: Counter<'outcome'>;
  /** Look-ups of an idempotency key before deciding, by outcome. */
  replayReads: Counter<'outcome'>;
  triage: TriageMetrics;
  /** Presented chains of verifiable intent, by whether their stateless verification succeeded. */
  intents: Counter<'verified'>;
}

export function decisionMetrics(metrics: Metrics): DecisionMetrics {
  return {
    decisions: countedDecisions(metrics),
    reasons: countedReasons(metrics),
    rounds: metrics.counter('judged_again_total', 'proposals the ledger sent back', ['reason']),
    failSafes: metrics.counter('fail_safes_total', 'decisions that could not be made', ['code']),
    unsigned: startAtZero(
      metrics.counter('unsigned_total', 'decisions that could not be signed', ['environment']),
    ),
    agentReads: metrics.counter('agent_reads_total', 'facts about agents, by source', ['from']),
    pastReads: metrics.counter('past_reads_total', 'pasts of agents, by what is read', ['read']),
    velocityReads: metrics.counter('velocity_reads_total', 'looks at short windows', ['outcome']),
    replayReads: metrics.counter('replay_reads_total', 'keys looked up before deciding', [
      'outcome',
    ]),
    triage: triageMetrics(metrics),
    intents: metrics.counter('intent_chains_total', 'vi_chains that were presented', ['verified']),
  };
}

function countedDecisions(metrics: Metrics): DecisionMetrics['decisions'] {
  const counter = metrics.counter('decisions_total', 'decisions put on record', [
    'environment',
    'decision',
  ]);
  const words: DecisionWord[] = ['APPROVE', 'STEP_UP', 'DECLINE'];
  return startAtZero(counter, words);
}

function countedReasons(metrics: Metrics): DecisionMetrics['reasons'] {
  const help = 'reason codes of decisions put on record';
  const counter = metrics.counter('decision_reasons_total', help, [
    'environment',
    'decision',
    'code',
  ]);
  // An alert watches this code, and a counter that begins with its first event hides that.
  for (const environment of environments)
    counter.inc({ environment, decision: 'DECLINE', code: failSafeCode }, 0);
  return counter;
}

/** Counts a decision that the ledger has recorded. */
export function countDecision(
  { decisions, reasons }: Pick<DecisionMetrics, 'decisions' | 'reasons'>,
  { decision, reasonCodes }: Pick<Verdict, 'decision' | 'reasonCodes'>,
  { environment }: { environment: Environment },
): void {
  decisions.inc({ environment, decision });
  for (const code of reasonCodes) reasons.inc({ environment, decision, code });
}

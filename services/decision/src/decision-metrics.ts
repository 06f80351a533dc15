import type { Counter, Metrics } from '@countersign/runtime/metrics';
import { type TriageMetrics, triageMetrics } from './triage/metrics.js';

export interface DecisionMetrics {
  /** Decisions that were put on record, by what they were. */
  decisions: Counter<'decision'>;
  /** Proposals the ledger sent back, by why. */
  rounds: Counter<'reason'>;
  /** Decisions that could not be made, by the code of the fault. */
  failSafes: Counter<'code'>;
  /** Decisions that were to be signed and could not be. */
  unsigned: Counter<'environment'>;
  /** Where facts about an agent came from. */
  agentReads: Counter<'from'>;
  /** What payments are compared with, by how much of it had to be read. */
  pastReads: Counter<'read'>;
  /** Looks at short windows, by what was seen. */
  velocityReads: Counter<'outcome'>;
  /** Keys that were looked up before deciding, by what was found. */
  replayReads: Counter<'outcome'>;
  triage: TriageMetrics;
  /** Chains of verifiable intent that were presented, by whether they verified without state. */
  intents: Counter<'verified'>;
}

export function decisionMetrics(metrics: Metrics): DecisionMetrics {
  return {
    decisions: metrics.counter('decisions_total', 'decisions put on record', ['decision']),
    rounds: metrics.counter('judged_again_total', 'proposals the ledger sent back', ['reason']),
    failSafes: metrics.counter('fail_safes_total', 'decisions that could not be made', ['code']),
    unsigned: metrics.counter('unsigned_total', 'decisions that could not be signed', [
      'environment',
    ]),
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

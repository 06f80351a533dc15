import type { Environment } from '@countersign/kernel/environment';
import type { Metrics } from '@countersign/runtime/metrics';

/** Metrics of the commit path, for one environment. */
export interface CommitMetrics {
  /** Returns a function that ends the measurement. */
  startBatch(size: number): () => void;
  statement(): void;
  outcome(name: string): void;
  watchQueue(waiting: () => number): void;
}

/** All environments share these instruments, with the environment as a label. */
export function createCommitMetrics(metrics: Metrics): (environment: Environment) => CommitMetrics {
  const seconds = metrics.histogram(
    'commit_batch_seconds',
    'duration of a batch, retries included',
    ['environment'],
  );
  const proposals = metrics.counter('commit_proposals_total', 'proposals sent in batches', [
    'environment',
  ]);
  const outcomes = metrics.counter('commit_outcomes_total', 'proposals by outcome', [
    'environment',
    'outcome',
  ]);
  const queue = metrics.gauge('commit_waiting', 'queued proposals', ['environment']);
  const queues = new Map<Environment, () => number>();
  // At every scrape, as no batch starts where it matters: behind one that the database holds up.
  metrics.sample(queue, (gauge) => {
    for (const [environment, waiting] of queues) gauge.set({ environment }, waiting());
  });
  return (environment) => ({
    startBatch: (size) => {
      proposals.inc({ environment }, size);
      return seconds.startTimer({ environment });
    },
    statement: () => metrics.roundTrip('postgres'),
    outcome: (outcome) => outcomes.inc({ environment, outcome }),
    watchQueue: (waiting) => {
      queues.set(environment, waiting);
    },
  });
}

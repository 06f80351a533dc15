import type { RequestPlan } from './requests.js';

/** What a generator is told. It is a process of its own: its CPU is not the server's. */
export interface LoadJob {
  /**
   * Closed: every connection sends as soon as it is answered, which finds saturation. Open:
   * requests are sent at their times whatever happens, and timed from when they were due.
   */
  model: 'closed' | 'open';
  port: number;
  plan: RequestPlan;
  connections: number;
  durationMs: number;
  /** For the open model: requests a second. */
  perSecond?: number;
  /** An answer that took so long counts as slow. */
  slowMs?: number;
}

export interface LoadResult {
  completed: number;
  elapsedMs: number;
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Answers that say APPROVE. */
  approved: number;
  /** Answers that took at least `slowMs`. */
  slow: number;
  /** Never answered: the connection broke, or the answer did not come before the end. */
  lost: number;
  latencyMs: { p50: number; p90: number; p99: number; max: number };
  /** Of the generator itself. */
  generatorCpuMs: number;
}

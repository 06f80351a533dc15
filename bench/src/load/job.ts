import type { RequestPlan } from './requests.js';

/** Input of a generator, which is a separate process, so that its CPU time is not the server's. */
export interface LoadJob {
  /**
   * Closed: every connection sends as soon as it is answered, which finds saturation. Open:
   * requests are sent at fixed times, and measured from the time when they were due.
   */
  model: 'closed' | 'open';
  port: number;
  plan: RequestPlan;
  connections: number;
  durationMs: number;
  /** For the open model: requests per second. */
  perSecond?: number;
}

export interface LoadResult {
  completed: number;
  elapsedMs: number;
  /** Responses by status. */
  statuses: Record<string, number>;
  /** Responses with the decision APPROVE. */
  approved: number;
  /** Requests without a response: the connection broke, or the time was over. */
  lost: number;
  latencyMs: { p50: number; p90: number; p99: number; max: number };
  /** CPU time of the generator itself. */
  generatorCpuMs: number;
}

import { setTimeout as pause } from 'node:timers/promises';

/**
 * Generous deadlines for tests of correctness, so that they do not fail on a busy machine. Tests of
 * faults keep the product's own deadlines.
 */
export const patience = {
  AUTHORIZE_DEADLINE_MS: '12000',
  DECISION_DEADLINE_MS: '11000',
  COMMIT_TIMEOUT_MS: '5000',
  REDIS_TIMEOUT_MS: '5000',
};

const patientlyMs = 60_000;
const pauseMs = 100;

/** Retries work that may answer 503 during an outage: the first result, or the last error. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + patientlyMs; ; ) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(pauseMs);
    }
  }
}

import { until } from '@countersign/runtime/testing';
import type { Answer } from './world.js';

const patientlyMs = 60_000;

/**
 * Repeats a call while it is answered 503, as its caller is told to: so is a burst of calls on a
 * machine that is too busy to give each a connection, or to end each statement, in a second.
 */
export function patiently(call: () => Promise<Answer>): Promise<Answer> {
  return until(
    async () => {
      const answer = await call();
      return answer.status === 503 ? null : answer;
    },
    { timeoutMs: patientlyMs, what: 'an answer other than 503' },
  );
}

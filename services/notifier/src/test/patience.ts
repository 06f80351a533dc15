import { isPassing } from '@countersign/runtime/connectivity';
import { until } from '@countersign/runtime/testing';

const patientlyMs = 60_000;

/**
 * Repeats a call while it is answered that the service is not available, as callers are told to:
 * so is a burst of calls on a machine that is too busy to give each a connection in a second.
 */
export async function patiently<T>(call: () => Promise<T>): Promise<T> {
  const attempt = async (): Promise<{ result: T } | null> => {
    try {
      return { result: await call() };
    } catch (error) {
      if (isPassing(error)) return null;
      throw error;
    }
  };
  const { result } = await until(attempt, {
    timeoutMs: patientlyMs,
    what: 'a call to be answered',
  });
  return result;
}

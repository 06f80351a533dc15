import { until } from '@countersign/runtime/testing';

const timeoutMs = 30_000;

/** Retries what a busy machine refuses (429, 503); the work may then be done twice. */
export async function insist<T>(what: string, work: () => Promise<T>): Promise<T> {
  const attempt = async () => {
    try {
      return { done: await work() };
    } catch (error) {
      if (error instanceof Error && /got (429|503)/.test(error.message)) return null;
      throw error;
    }
  };
  const { done } = await until(attempt, { timeoutMs, what });
  return done;
}

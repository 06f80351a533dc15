import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@countersign/runtime/testing';
import type { Answer } from './api.js';

const busyAttempts = 5;
const insistMs = 30_000;
const patientlyMs = 60_000;
const pauseMs = 100;

/** Retries the setup of a test, which a busy machine may refuse. */
export async function whileBusy(call: () => Promise<Answer>): Promise<Answer> {
  let answer = await call();
  for (let i = 1; i < busyAttempts && answer.status === 503; i += 1) answer = await call();
  return answer;
}

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
  const { done } = await until(attempt, { timeoutMs: insistMs, what });
  return done;
}

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

import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from 'pg';

const attempts = 20;
const pauseMs = 500;
/** SQLSTATE of a server that starts or stops, or has no connection left. */
const refusesAll = /^(57P0[123]|53300)$/;

/**
 * For what a service reads while it starts. Retries while the database is still starting, as when
 * both start together, while it has no connection left, as during a rollout, and while connecting
 * times out, as on a busy machine. Other errors of the database itself are not retried.
 */
export async function onceReached<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const refused = error instanceof DatabaseError && !refusesAll.test(error.code ?? '');
      if (refused || attempt === attempts) throw error;
      await pause(pauseMs);
    }
  }
}

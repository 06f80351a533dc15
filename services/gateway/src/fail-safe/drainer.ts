import { type Environment, perEnvironment } from '@countersign/kernel/environment';
import { isCallerMistake } from '@countersign/kernel/fault';
import { Loop } from '@countersign/runtime/loop';
import type { Context } from '../context.js';
import type { FailSafeEntry } from './waiting-entries.js';

type Parts = Pick<Context, 'clients' | 'log' | 'lifecycle' | 'failSafeJournal'>;

const batchSize = 64;
/** For each environment. */
const concurrency = 8;
const pauseMs = 1_000;
/** Nothing comes without a wake-up. */
const idleMs = 3_600_000;
const handOverDeadlineMs = 5_000;

/**
 * Hands the answers of the journal over to be recorded, until the lifecycle ends. Each environment
 * has a loop, so that one whose database is away does not keep the other's answers off the record.
 */
export function startFailSafeDrainer(parts: Parts): void {
  const { failSafeJournal: journal, lifecycle } = parts;
  const loops = perEnvironment(
    (environment) =>
      new Loop({
        turn: (stopping) => drainOnce(parts, environment, stopping),
        // What caused the fail-safe answers probably persists: new ones do not shorten the pause.
        failed: () => pauseMs,
      }),
  );
  journal.onRecord = ({ environment }) => loops[environment].wake();
  lifecycle.onShutdown('fail-safe drainer', async () => {
    await Promise.all([loops.live.stop(), loops.sandbox.stop()]);
  });
}

/**
 * One round over the oldest entries of an environment; resolves to the milliseconds until the next.
 * Rejects after a failure, and the other entries wait for the next round: the database is probably
 * away, and each more call would only wait for it, too.
 */
async function drainOnce(
  parts: Parts,
  environment: Environment,
  stopping: AbortSignal,
): Promise<number> {
  const entries = parts.failSafeJournal.waiting.oldest(batchSize, environment);
  const queue = [...entries];
  let isFailing = false;
  const worker = async (): Promise<void> => {
    while (!isFailing && !stopping.aborted) {
      const entry = queue.shift();
      if (!entry) return;
      if (!(await handOver(parts, entry, handOverDeadlineMs))) isFailing = true;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  if (isFailing) throw new Error('fail-safe answers could not be recorded yet');
  return entries.length === batchSize ? 0 : idleMs;
}

/** True when the entry is on record, or never can be, and has left the journal. */
export async function handOver(
  { clients, failSafeJournal, log }: Omit<Parts, 'lifecycle'>,
  entry: FailSafeEntry,
  deadlineMs: number,
): Promise<boolean> {
  const { environment, requestId, request, answer, decidedAt } = entry;
  const options = { environment, requestId, deadlineMs };
  try {
    await clients.decision.call.RecordFailSafe({ request, answer, decidedAt }, options);
  } catch (error) {
    if (!isCallerMistake(error)) {
      log.debug({ err: error, requestId }, 'a fail-safe answer is still waiting to be recorded');
      failSafeJournal.waiting.defer(entry);
      return false;
    }
    // Trying again would give the same refusal for ever.
    log.error(
      { err: error, requestId, authorizationId: entry.id },
      'a fail-safe answer was refused',
    );
  }
  // Not awaited: it left the journal's memory at once, and a request may wait for this.
  failSafeJournal.remove(entry).catch((error: unknown) => {
    log.warn({ err: error }, 'a fail-safe answer will be sent again after a restart');
  });
  return true;
}

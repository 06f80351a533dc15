import type { Environment } from '@countersign/kernel/environment';
import { isCallerMistake } from '@countersign/kernel/fault';
import { Loop } from '@countersign/runtime/loop';
import type { Context } from '../context.js';
import type { FailSafeEntry } from './waiting-entries.js';

type Parts = Pick<Context, 'clients' | 'log' | 'lifecycle' | 'failSafeJournal'>;

const batchSize = 64;
const concurrency = 8;
const pauseMs = 1_000;
/** Nothing comes without a wake-up. */
const idleMs = 3_600_000;
const handOverDeadlineMs = 5_000;

/** Hands the answers of the journal over to be recorded, until the lifecycle ends. */
export function startFailSafeDrainer(parts: Parts): void {
  const { failSafeJournal: journal, lifecycle } = parts;
  const stop = new AbortController();
  const loop = new Loop({
    turn: async () => {
      const left = await drainOnce(parts, stop.signal);
      if (left > 0) throw new Error(`${left} fail-safe answers could not be recorded yet`);
      return journal.waiting.size > 0 ? 0 : idleMs;
    },
    // What caused the fail-safe answers probably persists: new ones do not shorten the pause.
    failed: () => pauseMs,
  });
  journal.onRecord = () => loop.wake();
  lifecycle.onShutdown('fail-safe drainer', () => {
    stop.abort();
    return loop.stop();
  });
}

/**
 * One round over the oldest entries; returns how many of them could not be handed over. After the
 * first failure in an environment, its other entries wait for the next round: its database is
 * probably away, and each more call would only wait for it, too.
 */
async function drainOnce(parts: Parts, signal: AbortSignal): Promise<number> {
  const { waiting } = parts.failSafeJournal;
  const queue = waiting.oldest(batchSize);
  const failing = new Set<Environment>();
  let left = queue.length;
  const worker = async (): Promise<void> => {
    for (let entry = queue.shift(); entry && !signal.aborted; entry = queue.shift()) {
      const { environment } = entry;
      if (failing.has(environment)) waiting.defer(entry);
      else if (await handOver(parts, entry, handOverDeadlineMs)) left -= 1;
      else failing.add(environment);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return left;
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

import { Fault, invalidField } from '@countersign/kernel/fault';
import type { Context } from '../context.js';
import type { RouteRequest } from '../request.js';
import { type AskedPayment, keyScope } from './asked-payment.js';
import { handOver } from './drainer.js';
import type { Turn } from './keys-in-flight.js';
import type { FailSafeEntry } from './waiting-entries.js';

type Parts = Pick<Context, 'clients' | 'log' | 'failSafeJournal' | 'clock'>;

/** A retry waits at most this long for its first answer to be put on record. */
const handOverMs = 300;
/** Time for an earlier request that fails safe at its own deadline to reach the journal. */
const journallingMs = 250;

/** A request waits for earlier ones with its key until its own deadline, and a little longer. */
export function turnOf({ clock }: Pick<Parts, 'clock'>, asked: AskedPayment): Turn {
  return {
    keyScope: keyScope(asked),
    bodyHash: asked.message.bodyHash,
    patienceMs: asked.request.deadlineAt + journallingMs - clock(),
  };
}

/**
 * The fail-safe answer that this gateway gave to the same idempotency key and that is not on record
 * yet, or null. It is handed over first: where that succeeds the ledger knows the first answer of
 * the key, which may be an even earlier one. Throws 422 where the body is another.
 */
export async function unrecordedAnswer(
  parts: Parts,
  asked: AskedPayment,
): Promise<FailSafeEntry | null> {
  const scope = keyScope(asked);
  const first = scope === null ? undefined : parts.failSafeJournal.waiting.find(scope);
  if (!first) return null;
  if (await handOverNow(parts, first, asked.request)) return null;
  if (first.request.bodyHash === asked.message.bodyHash) return first;
  const text = 'was already used with a different request';
  throw invalidField('idempotency_key', 'idempotency_key_reuse', text);
}

/**
 * A payment may continue a transaction that was answered here and is not on record yet, so that the
 * ledger would not know it. Throws `unavailable` where it cannot be put on record first.
 */
export async function transactionOnRecord(
  parts: Parts,
  { request, message }: AskedPayment,
): Promise<void> {
  const { transactionId } = message.payment;
  if (transactionId === undefined) return;
  const given = parts.failSafeJournal.waiting.findTransaction(transactionId);
  if (!given || (await handOverNow(parts, given, request))) return;
  throw new Fault('unavailable', {
    message: 'The transaction is not on record yet.',
  });
}

function handOverNow(
  parts: Parts,
  entry: FailSafeEntry,
  { deadlineAt }: Pick<RouteRequest, 'deadlineAt'>,
): Promise<boolean> {
  const deadlineMs = Math.min(handOverMs, Math.max(1, deadlineAt - parts.clock()));
  return handOver(parts, entry, deadlineMs);
}

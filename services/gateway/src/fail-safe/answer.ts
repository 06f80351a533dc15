import { isoTime } from '@countersign/kernel/clock';
import { failSafeAnswer } from '@countersign/kernel/fail-safe';
import { Fault, invalidField } from '@countersign/kernel/fault';
import type { Logger } from '@countersign/runtime/log';
import type { Context } from '../context.js';
import type { AuthorizeMessage } from '../messages/payment.js';
import { jsonReply } from '../reply.js';
import type { Reply, RouteRequest } from '../request.js';
import { handOver } from './drainer.js';
import { answeredTransaction, type FailSafeEntry } from './journal.js';
import type { Turn } from './keys-under-way.js';

type Parts = Pick<Context, 'clients' | 'log' | 'failSafeJournal' | 'clock'>;

export interface AskedPayment {
  request: Pick<RouteRequest, 'environment' | 'requestId' | 'deadlineAt' | 'trace'>;
  message: AuthorizeMessage;
  /** Epoch milliseconds, of the context's clock. */
  arrivedAt: number;
}

/** A retry waits at most this long for its first answer to be put on record. */
const handOverMs = 300;
/** An earlier request that fails safe at its own deadline has yet to reach the disk. */
const journallingMs = 250;

/** A request that waits for those of its key waits as long as it could have been decided. */
export function turnOf({ clock }: Pick<Parts, 'clock'>, { request, message }: AskedPayment): Turn {
  return {
    keyScope: keyScope(request, message),
    bodyHash: message.bodyHash,
    patienceMs: request.deadlineAt + journallingMs - clock(),
  };
}

/**
 * The first answer of a key that was given here and is not on record yet. It is handed over first:
 * where that succeeds, the record knows the key's answer, which may be an even earlier one.
 */
export async function firstAnswer(
  parts: Parts,
  { request, message }: AskedPayment,
): Promise<FailSafeEntry | null> {
  const scope = keyScope(request, message);
  const first = scope === null ? undefined : parts.failSafeJournal.find(scope);
  if (!first) return null;
  if (await handOverFirst(parts, first, request)) return null;
  return sameBody(first, message);
}

/**
 * A payment may thread on a transaction that was given here and is not on record yet: the ledger
 * would not know it. Throws where it cannot be put on record first, since nothing can be decided.
 */
export async function transactionOnRecord(
  parts: Parts,
  { request, message }: AskedPayment,
): Promise<void> {
  const { transactionId } = message.payment;
  if (transactionId === undefined) return;
  const given = parts.failSafeJournal.findTransaction(transactionId);
  if (!given || (await handOverFirst(parts, given, request))) return;
  throw new Fault('unavailable', {
    code: 'SERVICE_UNAVAILABLE',
    message: 'The transaction is not on record yet.',
  });
}

function handOverFirst(
  parts: Parts,
  entry: FailSafeEntry,
  { deadlineAt }: Pick<RouteRequest, 'deadlineAt'>,
): Promise<boolean> {
  const deadlineMs = Math.min(handOverMs, Math.max(1, deadlineAt - parts.clock()));
  return handOver(parts, entry, deadlineMs);
}

/**
 * The decision that is given when none could be made: DECLINE, nothing reserved. It is on this
 * machine's disk before it is answered, and on record as soon as somebody can record it: under the
 * id that may have been committed, so that what nobody was told of is found and voided. Where the
 * disk cannot take it, nothing is answered: a decision that will never be on record would be one
 * thing to its caller and another to everybody else.
 */
export async function answerSafely(
  parts: Parts,
  asked: AskedPayment,
  cause: unknown,
): Promise<Reply> {
  const entry = safeEntry(parts, asked);
  const log = logOf(parts, asked);
  log.warn({ err: cause, authorizationId: entry.id }, 'answering the fail-safe decision');
  await parts.failSafeJournal.record(entry).catch((error: unknown) => {
    log.error({ err: error, authorizationId: entry.id }, 'a fail-safe answer cannot be kept');
    throw cannotBeKept(error);
  });
  return jsonReply(200, entry.answer);
}

/** Whatever was committed under the key nevertheless is what the next try is answered. */
function cannotBeKept(cause: unknown): Fault {
  return new Fault('exhausted', {
    code: 'RATE_LIMITED',
    message: 'No decision can be kept at this moment; try again with the same idempotency_key.',
    retryAfterSeconds: 1,
    internal: 'the fail-safe journal did not take an answer',
    cause,
  });
}

/**
 * What a request is told whose time is up while an earlier one of its key is being answered. It was
 * never laid before anybody: it is no decision, and the key keeps the answer of the earlier one.
 */
export function answerUnheard(parts: Parts, asked: AskedPayment): Reply {
  const { id, answer } = safeEntry(parts, asked);
  logOf(parts, asked).warn({ authorizationId: id }, 'a replay could not be looked up in time');
  return jsonReply(200, answer);
}

function logOf({ log }: Parts, { request }: AskedPayment): Logger {
  const { requestId, environment, trace } = request;
  return log.child({ requestId, environment, ...(trace && { trace_id: trace.traceId }) });
}

function safeEntry({ clock }: Parts, { request, message, arrivedAt }: AskedPayment): FailSafeEntry {
  const { payment } = message;
  const transactionId = answeredTransaction({ request: message });
  const now = clock();
  return {
    id: message.authorizationId,
    keyScope: keyScope(request, message),
    environment: request.environment,
    requestId: request.requestId,
    request: toBeRecorded(message),
    answer: failSafeAnswer({
      authorizationId: message.authorizationId,
      transactionId,
      correlationKey: payment.clientReference ?? transactionId,
      agentId: payment.agentId ?? null,
      currency: payment.currency ?? 'USD',
      processingTimeMs: now - arrivedAt,
    }),
    decidedAt: isoTime(now),
  };
}

/**
 * Credentials of a user do not lie about on a disk; the hash of the body still covers them. Whoever
 * puts it on record finds out whose the Principal is, as long after as it may be.
 */
function toBeRecorded(message: AuthorizeMessage): AuthorizeMessage {
  const { claimedPrincipalId, ...rest } = message;
  const principalId = message.principalId ?? claimedPrincipalId;
  return { ...rest, principalId, payment: { ...message.payment, viChainJson: undefined } };
}

/** As far as the edge knows whose key it is: by the Principal, or by the agent that leads to it. */
function keyScope(
  { environment }: Pick<RouteRequest, 'environment'>,
  { clientId, principalId, claimedPrincipalId, payment }: AuthorizeMessage,
): string | null {
  if (payment.idempotencyKey === undefined) return null;
  const owner = principalId ?? claimedPrincipalId ?? payment.agentId ?? payment.agentDid ?? '';
  return [environment, clientId, owner, payment.idempotencyKey].join(' ');
}

function sameBody(first: FailSafeEntry, message: AuthorizeMessage): FailSafeEntry {
  if (first.request.bodyHash === message.bodyHash) return first;
  const text = 'was already used with a different request';
  throw invalidField('idempotency_key', 'idempotency_key_reuse', text);
}

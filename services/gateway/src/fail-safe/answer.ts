import { isoTime } from '@countersign/kernel/clock';
import { failSafeAnswer } from '@countersign/kernel/fail-safe';
import { Fault } from '@countersign/kernel/fault';
import type { Logger } from '@countersign/runtime/log';
import type { Context } from '../context.js';
import type { AuthorizeMessage } from '../messages/payment.js';
import { jsonReply } from '../reply.js';
import type { Reply } from '../request.js';
import { type AskedPayment, keyScope } from './asked-payment.js';
import { answeredTransaction, type FailSafeEntry } from './waiting-entries.js';

type Parts = Pick<Context, 'log' | 'failSafeJournal' | 'clock'>;

/**
 * The decision that is given when none could be made: DECLINE, nothing reserved. It is on this
 * machine's disk before it is answered, and is put on record as soon as decision and ledger can be
 * reached. It has the id under which an approval may have been committed unseen, so that the ledger
 * can find and void that one. Where the disk fails, this throws and no decision is given: a decline
 * that never gets on record would leave caller and ledger with different truths.
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
    log.error({ err: error, authorizationId: entry.id }, 'a fail-safe answer cannot be stored');
    throw cannotBeKept(error);
  });
  return jsonReply(200, entry.answer);
}

/** A retry gets what was committed under the key, if anything was. */
function cannotBeKept(cause: unknown): Fault {
  return new Fault('exhausted', {
    message: 'No decision can be kept at this moment; try again with the same idempotency_key.',
    retryAfterSeconds: 1,
    internal: 'the fail-safe journal did not take an answer',
    cause,
  });
}

/**
 * The answer to a request that ran out of time while an earlier one with its key was being decided.
 * It was never proposed, so this is no decision and not journalled: the key keeps the answer of the
 * earlier request.
 */
export function answerUndecided(parts: Parts, asked: AskedPayment): Reply {
  const { id, answer } = safeEntry(parts, asked);
  logOf(parts, asked).warn({ authorizationId: id }, 'a replay could not be looked up in time');
  return jsonReply(200, answer);
}

function logOf({ log }: Parts, { request }: AskedPayment): Logger {
  const { requestId, environment, trace } = request;
  return log.child({ requestId, environment, ...(trace && { trace_id: trace.traceId }) });
}

function safeEntry({ clock }: Parts, asked: AskedPayment): FailSafeEntry {
  const { request, message, arrivedAt } = asked;
  const { payment } = message;
  const transactionId = answeredTransaction({ request: message });
  const now = clock();
  return {
    id: message.authorizationId,
    keyScope: keyScope(asked),
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
 * Without the vi_chain: a user's credentials are not left on this disk, and the body's hash covers
 * them anyway. A claimed Principal becomes a plain one, since whoever records the answer checks it.
 */
function toBeRecorded(message: AuthorizeMessage): AuthorizeMessage {
  const { claimedPrincipalId, ...rest } = message;
  const principalId = message.principalId ?? claimedPrincipalId;
  return { ...rest, principalId, payment: { ...message.payment, viChainJson: undefined } };
}

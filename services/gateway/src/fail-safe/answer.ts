import { isoTime } from '@countersign/kernel/clock';
import { failSafeAnswer } from '@countersign/kernel/fail-safe';
import { invalidField } from '@countersign/kernel/fault';
import type { Context } from '../context.js';
import type { AuthorizeMessage } from '../messages/payment.js';
import { jsonReply } from '../reply.js';
import type { Reply, RouteRequest } from '../request.js';
import { handOver } from './drainer.js';
import type { FailSafeEntry } from './journal.js';

type Parts = Pick<Context, 'clients' | 'log' | 'failSafeJournal' | 'clock'>;

export interface AskedPayment {
  request: Pick<RouteRequest, 'environment' | 'requestId' | 'deadlineAt'>;
  message: AuthorizeMessage;
  /** Epoch milliseconds, of the context's clock. */
  arrivedAt: number;
}

/** A retry waits at most this long for its first answer to be put on record. */
const handOverMs = 300;

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
  const deadlineMs = Math.min(handOverMs, Math.max(1, request.deadlineAt - parts.clock()));
  if (await handOver(parts, first, deadlineMs)) return null;
  return sameBody(first, message);
}

/** Names what requests share that ask for the same decision; null where no key says so. */
export function sharedName({ request, message }: AskedPayment): string | null {
  const scope = keyScope(request, message);
  return scope === null ? null : `${scope} ${message.bodyHash}`;
}

/**
 * What a request is told that was decided, or replayed. Where another request of the key was
 * answered fail-safe under the very id that is replayed, that decision is void, now or soon.
 */
export function answerDecided(
  { failSafeJournal: { underWay } }: Pick<Parts, 'failSafeJournal'>,
  asked: AskedPayment,
  decided: { answer: string; replayed: boolean },
): { answer: string; replayed: boolean } {
  const name = sharedName(asked);
  if (name === null) return decided;
  const told = underWay.told(name);
  if (told !== null && idIn(told) === idIn(decided.answer)) return { answer: told, replayed: true };
  underWay.tell(name, decided.answer);
  return decided;
}

function idIn(answer: string): unknown {
  return (JSON.parse(answer) as { authorization_id?: unknown }).authorization_id;
}

/**
 * The decision that is given when none could be made: DECLINE, nothing reserved. It is on this
 * machine's disk before it is answered, and on record as soon as somebody can record it.
 */
export async function answerSafely(
  parts: Parts,
  asked: AskedPayment,
  cause: unknown,
): Promise<Reply> {
  const { request, message } = asked;
  const name = sharedName(asked);
  const told = name === null ? null : parts.failSafeJournal.underWay.told(name);
  // The same decision, told through another request: it must stand, so this one tells it too.
  if (told !== null) return jsonReply(200, told, { 'Idempotent-Replayed': 'true' });
  const entry = safeEntry(parts, asked);
  const first = (entry.keyScope && parts.failSafeJournal.find(entry.keyScope)) || entry;
  if (name !== null && first.request.bodyHash === message.bodyHash)
    parts.failSafeJournal.underWay.tell(name, first.answer);
  const log = parts.log.child({ requestId: request.requestId, environment: request.environment });
  log.warn({ err: cause, authorizationId: entry.id }, 'answering the fail-safe decision');
  const kept = await parts.failSafeJournal.record(entry).catch((error: unknown) => {
    log.error({ err: error, authorizationId: entry.id }, 'a fail-safe answer is not journalled');
    return entry;
  });
  if (kept === entry) return jsonReply(200, entry.answer);
  return jsonReply(200, sameBody(kept, message).answer, { 'Idempotent-Replayed': 'true' });
}

function safeEntry({ clock }: Parts, { request, message, arrivedAt }: AskedPayment): FailSafeEntry {
  const { payment } = message;
  const transactionId = payment.transactionId ?? message.transactionId;
  const now = clock();
  return {
    id: message.authorizationId,
    keyScope: keyScope(request, message),
    environment: request.environment,
    requestId: request.requestId,
    request: withoutEvidence(message),
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

/** Credentials of a user do not lie about on a disk; the hash of the body still covers them. */
function withoutEvidence(message: AuthorizeMessage): AuthorizeMessage {
  return { ...message, payment: { ...message.payment, viChainJson: undefined } };
}

/** As far as the edge knows whose key it is: by the Principal, or by the agent that leads to it. */
function keyScope(
  { environment }: Pick<RouteRequest, 'environment'>,
  { clientId, principalId, payment }: AuthorizeMessage,
): string | null {
  if (payment.idempotencyKey === undefined) return null;
  const owner = principalId ?? payment.agentId ?? payment.agentDid ?? '';
  return [environment, clientId, owner, payment.idempotencyKey].join(' ');
}

function sameBody(first: FailSafeEntry, message: AuthorizeMessage): FailSafeEntry {
  if (first.request.bodyHash === message.bodyHash) return first;
  const text = 'was already used with a different request';
  throw invalidField('idempotency_key', 'idempotency_key_reuse', text);
}

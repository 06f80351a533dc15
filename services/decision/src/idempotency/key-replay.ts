import { Fault } from '@countersign/kernel/fault';
import { refusalOf } from '../commit.js';
import type { Context } from '../context.js';
import { type Gathering, readAgent } from '../facts.js';
import type { KeyName } from './recent-keys.js';

/** An answer on record. */
export interface Recorded {
  answer: string;
  /** The caller has asked this before. */
  replayed: boolean;
}

/**
 * The recorded answer of an idempotency key that this process has seen recently, or null. Null does
 * not mean that the key is new: the ledger detects a replay at the commit in any case. The look-up
 * only saves evaluating and signing for callers that repeat a request.
 */
export async function findReplay(context: Context, gathering: Gathering): Promise<Recorded | null> {
  const name = keyNameOf(gathering);
  if (!name || !context.recentKeys.has(name)) return null;
  const known = gathering.claimed ? null : gathering.principalId;
  const principalId = known ?? (await readAgent(context, gathering)).actingPrincipalId;
  if (principalId === null) return null;
  const { outcome, answer } = await asked(context, gathering, {
    principalId,
    idempotencyKey: name.idempotencyKey,
    bodyHash: gathering.payment.bodyHash,
  });
  context.counted.replayReads.inc({ outcome });
  const refusal = refusalOf(outcome);
  if (refusal) throw refusal;
  return outcome === 'replayed' && answer !== undefined
    ? { answer, replayed: !isOwn(answer, gathering.payment) }
    : null;
}

/** Notes a key as recently answered from the record. */
export function rememberKey({ recentKeys }: Context, gathering: Gathering): void {
  const name = keyNameOf(gathering);
  if (name) recentKeys.add(name);
}

/** An answer with this very id is our own retry, not a replay by the caller. */
export function isOwn(answer: string, { authorizationId }: { authorizationId: string }): boolean {
  return answer.startsWith(`{"authorization_id":"${authorizationId}"`);
}

function keyNameOf({ call, clientId, payment }: Gathering): KeyName | null {
  const { idempotencyKey } = payment;
  return idempotencyKey === null
    ? null
    : { environment: call.environment, clientId, idempotencyKey };
}

interface Question {
  principalId: string;
  idempotencyKey: string;
  bodyHash: string;
}

/** Where the ledger does not answer, the decision goes on without. */
async function asked({ ledger }: Context, { budget }: Gathering, question: Question) {
  try {
    return await ledger.call.FindReplay(question, budget.callOptions('replay'));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { outcome: 'unanswered', answer: undefined };
  }
}

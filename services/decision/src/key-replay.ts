import { Fault } from '@countersign/kernel/fault';
import { refusalOf } from './commit.js';
import type { Context } from './context.js';
import { type Gathering, readAgent } from './facts.js';
import type { KeyName } from './recent-keys.js';

/** An answer that is on record. */
export interface Recorded {
  answer: string;
  /** The caller has asked this before. */
  replayed: boolean;
}

/**
 * What a key that was used here of late was answered then, or null: then it is decided upon, and
 * whether it is a replay after all the ledger finds out when the decision is laid before it. So a
 * caller that asks again and again costs neither a judgement nor a signature.
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

/** To be called with all that was answered from the record. */
export function rememberKey({ recentKeys }: Context, gathering: Gathering): void {
  const name = keyNameOf(gathering);
  if (name) recentKeys.add(name);
}

/** A repeat of this very id is our own second attempt, not a replay of the caller's. */
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

/** A ledger that does not answer, or is of the release before and cannot, spoils no decision. */
async function asked({ ledger }: Context, { budget }: Gathering, question: Question) {
  try {
    return await ledger.call.FindReplay(question, budget.callOptions('replay'));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { outcome: 'unanswered', answer: undefined };
  }
}

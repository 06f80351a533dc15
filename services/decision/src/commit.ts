import { wholeAnswer } from '@countersign/kernel/answer';
import { Fault, invalidField, isCallerMistake } from '@countersign/kernel/fault';
import type { CommitRequestInput, CommitResponse } from '@countersign/proto/ledger';
import type { Budget } from './budget.js';
import type { Context } from './context.js';

/**
 * The ledger did not answer, so nobody knows what is on record. Whoever asked must not be told a
 * decision made here: the edge answers fail-safe and has its answer put on record later.
 */
export class LedgerSilent extends Error {
  /** Not `unavailable`: that would make every transport on the way try all of it again. */
  readonly fault: Fault;

  constructor(cause: Fault) {
    super('the ledger did not answer', { cause });
    this.name = 'LedgerSilent';
    this.fault = new Fault('deadline', {
      code: 'SERVICE_UNAVAILABLE',
      message: 'The decision could not be put on record in time; try again.',
      internal: cause.internal ?? cause.message,
      cause,
    });
  }
}

const maxAttempts = 3;

/**
 * Lays a proposal before the ledger. Silence is asked again under the same id, which is safe, for
 * as long as there is time; then it throws LedgerSilent.
 */
export async function commit(
  { ledger }: Pick<Context, 'ledger'>,
  proposal: CommitRequestInput,
  budget: Budget,
): Promise<CommitResponse> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const options = budget.callOptions('ledger');
      return withAnswer(proposal, await ledger.call.Commit(proposal, options));
    } catch (error) {
      if (!(error instanceof Fault) || isCallerMistake(error)) throw error;
      // The transport itself repeats what surely was not received: there only silence is left.
      const again = error.kind === 'deadline' && attempt < maxAttempts && budget.leftMs() > 0;
      if (!again) throw new LedgerSilent(error);
    }
  }
}

/** Where the ledger sent the middle of an answer alone, the rest is what was laid before it. */
function withAnswer(
  { answerHead: head = '', answerTail: tail = '' }: CommitRequestInput,
  response: CommitResponse,
): CommitResponse {
  const { answerMiddle: middle } = response;
  // Nobody else has this message, and a copy of it would cost more than reading it did.
  if (middle !== undefined) response.answer = wholeAnswer({ head, middle, tail });
  return response;
}

/** What the caller got wrong about identifiers of its own; null for every other outcome. */
export function refusalOf(outcome: string): Fault | null {
  if (outcome === 'key_reused') {
    return invalidField(
      'idempotency_key',
      'idempotency_key_reuse',
      'This idempotency_key was used with another body.',
    );
  }
  if (outcome === 'transaction_unknown') {
    return invalidField(
      'transaction_id',
      'transaction_unknown',
      'No transaction of this principal has this transaction_id.',
    );
  }
  return null;
}

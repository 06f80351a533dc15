import { Fault, invalidField, isCallerMistake } from '@countersign/kernel/fault';
import type { CommitResponse } from '@countersign/proto/ledger';
import type { Budget } from './budget.js';
import type { Context } from './context.js';
import type { Proposal } from './record/proposal-message.js';

/**
 * The ledger did not answer, so it is unknown what was committed. This service must not answer a
 * decision then: the gateway gives the fail-safe answer and has it recorded later.
 */
export class LedgerUnresponsive extends Error {
  /** Not `unavailable`, which every transport on the way back would take as a reason to retry. */
  readonly fault: Fault;

  constructor(cause: Fault) {
    super('the ledger did not answer', { cause });
    this.name = 'LedgerUnresponsive';
    this.fault = new Fault('deadline', {
      message: 'The decision could not be put on record in time; try again.',
      internal: cause.internal ?? cause.message,
      cause,
    });
  }
}

const maxAttempts = 3;

/**
 * Sends a proposal to the ledger. A timeout is retried under the same id, which is safe, while the
 * budget lasts; then this throws LedgerUnresponsive.
 */
export async function commit(
  { ledger }: Pick<Context, 'ledger'>,
  { message, answerWith }: Proposal,
  budget: Budget,
): Promise<CommitResponse> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const options = budget.callOptions('ledger');
      return withAnswer(answerWith, await ledger.call.Commit(message, options));
    } catch (error) {
      if (!(error instanceof Fault) || isCallerMistake(error)) throw error;
      // The transport retries what was certainly not received; only timeouts are left to retry.
      const again = error.kind === 'deadline' && attempt < maxAttempts && budget.leftMs() > 0;
      if (!again) throw new LedgerUnresponsive(error);
    }
  }
}

/** With the whole answer: of a new one the ledger returns only the middle part. */
function withAnswer(answerWith: Proposal['answerWith'], response: CommitResponse): CommitResponse {
  const { answerMiddle: middle } = response;
  // Mutated in place: nobody else holds this message, and a copy would cost more than parsing it.
  if (middle !== undefined) response.answer = answerWith(middle);
  return response;
}

/** The fault for an outcome that is the caller's mistake; null for every other outcome. */
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

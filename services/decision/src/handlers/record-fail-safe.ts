import { isoTime } from '@countersign/kernel/clock';
import { Fault } from '@countersign/kernel/fault';
import type { Call } from '@countersign/runtime/grpc-types';
import { type Budget, startBudget } from '../budget.js';
import { commit, LedgerUnresponsive } from '../commit.js';
import type { Context } from '../context.js';
import { paymentFacts } from '../facts/from-request.js';
import type { PaymentFacts } from '../facts/shape.js';
import { failSafeProposal } from '../fail-safe.js';
import type { Proposal } from '../record/proposal-message.js';
import type { DecisionHandlers } from './handler.js';

/**
 * Records a fail-safe answer that the gateway gave on its own. It may arrive long after and
 * repeatedly: the gateway retries until it gets an answer, or a refusal that would be the same.
 */
export function recordFailSafe(context: Context): DecisionHandlers['RecordFailSafe'] {
  return async ({ request, decidedAt, answer }, call) => {
    if (!request) throw new Fault('internal', { message: 'no request' });
    const budget = startBudget(call, context.config.decisionDeadlineMs);
    const payment = paymentFacts(request);
    const principalId = await askPrincipal(context, { budget, payment, request });
    if (principalId === null) return dropped(call, payment, 'no principal is concerned');
    const proposal = failSafeProposal({
      payment,
      clientId: request.clientId,
      principalId,
      decidedAt: notAhead(decidedAt, context.clock()),
      answer,
      cause: 'ANSWERED_AT_THE_EDGE',
      given: true,
    });
    const outcome = await record(context, proposal, budget);
    if (outcome === 'recorded' || outcome === 'replayed') return { outcome };
    return dropped(call, payment, outcome);
  };
}

/**
 * A gateway may have answered with a clock that was ahead. The ledger records nothing before its
 * time, and until then an approval of this id would stand.
 */
function notAhead(decidedAt: string, now: number): string {
  return isoTime(Math.min(Date.parse(decidedAt), now));
}

/** If the idempotency key was used with another body, records the answer without the key. */
async function record(context: Context, proposal: Proposal, budget: Budget): Promise<string> {
  try {
    const { outcome } = await commit(context, proposal, budget);
    if (outcome !== 'key_reused') return outcome;
    const message = { ...proposal.message, idempotencyKey: undefined };
    return (await commit(context, { ...proposal, message }, budget)).outcome;
  } catch (error) {
    throw error instanceof LedgerUnresponsive ? error.fault : error;
  }
}

/** Asks identity even if the gateway names a Principal, which may be unverified. */
async function askPrincipal(
  context: Context,
  { budget, payment, request }: Asked,
): Promise<string | null> {
  const { agentId, agentDid } = payment;
  const { clientId, principalId = null } = request;
  const { actingPrincipalId } = await context.agents.read(
    { clientId, principalId, agentId, agentDid },
    budget.callOptions('identity'),
    { mayUseCache: false },
  );
  return actingPrincipalId;
}

interface Asked {
  budget: Budget;
  payment: PaymentFacts;
  request: { clientId: string; principalId?: string };
}

function dropped(call: Call, { authorizationId }: PaymentFacts, why: string): { outcome: string } {
  call.log.warn({ authorizationId, why }, 'fail-safe answer not recorded');
  return { outcome: 'dropped' };
}

import type { Usage } from '@countersign/proto/ledger';
import { unrecordedAnswer } from '../answer.js';
import { type Budget, startBudget } from '../budget.js';
import { refusalOf } from '../commit.js';
import type { Context } from '../context.js';
import { evaluate } from '../evaluate.js';
import { actingPrincipal, paymentFacts } from '../facts/from-request.js';
import type { Facts, MandateFacts } from '../facts/shape.js';
import { gatherFacts } from '../facts.js';
import { countersAfter, limitCodesFor } from '../simulated-usage.js';
import { startStopwatch } from '../stopwatch.js';
import { usageFacts, withRemaining } from '../usage.js';
import type { DecisionHandlers } from './handler.js';

/**
 * The same evaluation without reserving, recording or publishing anything. It does not fail safe:
 * no payment depends on the answer, so it may be an error.
 */
export function simulate(context: Context): DecisionHandlers['Simulate'] {
  return async (request, call) => {
    const elapsedMs = startStopwatch();
    const budget = startBudget(call, context.config.decisionDeadlineMs);
    const acting = actingPrincipal(request);
    const { facts } = await gatherFacts(context, {
      call,
      budget,
      clientId: request.clientId,
      ...acting,
      payment: paymentFacts(request),
      velocity: 'out',
      chainJson: request.payment?.viChainJson,
    });
    const claimHolds = acting.claimed;
    const first = evaluate(facts);
    const { mandate } = first;
    const told = await usageOf(context, { facts, mandate, budget });
    const refusal = told?.transactionUnknown ? refusalOf('transaction_unknown') : null;
    if (refusal) throw refusal;
    if (!mandate || !told) {
      const processingTimeMs = elapsedMs();
      const answer = unrecordedAnswer(facts, first, { processingTimeMs, simulated: true });
      return { answer, replayed: false, claimHolds };
    }
    const judged = withUsage(facts, mandate, told);
    return { answer: answered(judged, elapsedMs()), replayed: false, claimHolds };
  };
}

interface Asked {
  facts: Facts;
  mandate: MandateFacts | null;
  budget: Budget;
}

/** What the ledger alone knows of this payment; null if there is nothing to ask it. */
async function usageOf(
  { ledger }: Context,
  { facts, mandate, budget }: Asked,
): Promise<Usage | null> {
  const transaction = namedTransaction(facts);
  if (!mandate && !transaction) return null;
  const asked = { mandateId: mandate?.id, agentId: facts.agent?.id, transaction };
  return ledger.call.GetUsage(asked, budget.callOptions('ledger'));
}

/** Undefined also if nobody acts: such a payment is not recorded, so nothing of it is checked. */
function namedTransaction({ payment, actingPrincipalId }: Facts) {
  if (!payment.transactionGiven || actingPrincipalId === null) return undefined;
  return { transactionId: payment.transactionId, principalId: actingPrincipalId };
}

type Judged = ReturnType<typeof withUsage>;

function withUsage(facts: Facts, mandate: MandateFacts, told: Usage) {
  const usage = usageFacts(told);
  return {
    facts: {
      ...facts,
      limits: { codes: limitCodesFor(facts, mandate, usage), usage },
      ...(told.challengesFull && { openChallengesFull: true as const }),
    },
    mandate,
    usage,
  };
}

function answered({ facts, mandate, usage }: Judged, processingTimeMs: number): string {
  const verdict = evaluate(facts);
  const counters = countersAfter(facts, { mandate, usage, decision: verdict.decision });
  const reasonDetail = withRemaining(verdict.reasonDetail, mandate, usage);
  const told = { ...verdict, reasonDetail };
  const context = { processingTimeMs, counters, simulated: true } as const;
  return unrecordedAnswer(facts, told, context);
}

import { isoTime } from '@countersign/kernel/clock';
import { failSafeCode } from '@countersign/kernel/fail-safe';
import { Fault, isCallerMistake } from '@countersign/kernel/fault';
import { connectivityFault } from '@countersign/runtime/connectivity';
import type { Call } from '@countersign/runtime/grpc-types';
import { unrecordedAnswer } from '../answer.js';
import { startBudget } from '../budget.js';
import { commit, LedgerUnresponsive, refusalOf } from '../commit.js';
import type { Context } from '../context.js';
import { decide } from '../decide.js';
import { countDecision } from '../decision-metrics.js';
import { evaluate } from '../evaluate.js';
import { actingPrincipal, paymentFacts } from '../facts/from-request.js';
import { type Gathering, gatherFacts, type Progress } from '../facts.js';
import { failSafeProposal, failSafeText } from '../fail-safe.js';
import { findReplay, type Recorded } from '../idempotency/key-replay.js';
import { startStopwatch } from '../stopwatch.js';
import type { Verdict } from '../verdict.js';
import type { DecisionHandlers } from './handler.js';

/**
 * Gathers facts, evaluates, records and answers. On a failure it declines and records that if
 * the Principal is known and the ledger answers; else it throws, and the gateway declines itself.
 */
export function authorize(context: Context): DecisionHandlers['Authorize'] {
  return async (request, call) => {
    const attempt: Attempt = {
      elapsedMs: startStopwatch(),
      gathering: {
        call,
        budget: startBudget(call, context.config.decisionDeadlineMs),
        clientId: request.clientId,
        ...actingPrincipal(request),
        payment: paymentFacts(request),
        chainJson: request.payment?.viChainJson,
        mayUseCache: true,
        velocity: 'add',
        progress: { principalId: request.principalId ?? null },
      },
    };
    try {
      const { answer, replayed } = await gatherAndDecide(context, attempt);
      if (replayed) void takeBack(context, attempt);
      return { answer, replayed, claimHolds: attempt.gathering.claimed };
    } catch (error) {
      void takeBack(context, attempt);
      if (isCallerMistake(error)) throw error;
      if (error instanceof LedgerUnresponsive) throw error.fault;
      return declineSafely(context, attempt, error);
    }
  };
}

/**
 * The short window counts decisions about the agent. Replays, refused requests, and failures on
 * our side, which the agent will retry, are taken out again.
 */
async function takeBack({ windows }: Context, { gathering }: Attempt): Promise<void> {
  const { call, progress } = gathering;
  const { counting } = progress;
  // Where Redis did not answer, the decision was probably not counted either.
  const seen = await counting?.seen.catch(() => undefined);
  if (counting && seen) windows[call.environment].takeBack(counting);
}

interface Attempt {
  gathering: Gathering & { progress: Progress };
  elapsedMs: () => number;
}

async function gatherAndDecide(
  context: Context,
  { gathering, elapsedMs }: Attempt,
): Promise<Recorded> {
  const replay = await findReplay(context, gathering);
  if (replay) return replay;
  const { facts, epoch } = await gatherFacts(context, gathering);
  const { actingPrincipalId: principalId } = facts;
  if (principalId === null) {
    // Neither the agent nor a Principal is known: answered, but there is no log to record it in.
    const answer = unrecordedAnswer(facts, evaluate(facts), { processingTimeMs: elapsedMs() });
    return { answer, replayed: false };
  }
  return decide(context, { facts, epoch, gathering, principalId, elapsedMs });
}

const failSafe: Pick<Verdict, 'decision' | 'reasonCodes'> = {
  decision: 'DECLINE',
  reasonCodes: [failSafeCode],
};

async function declineSafely(
  context: Context,
  { gathering, elapsedMs }: Attempt,
  error: unknown,
): Promise<Recorded> {
  const { call, payment, clientId, budget, progress } = gathering;
  const { principalId } = progress;
  const fault = reportedFault(context, call, error);
  call.trace?.set({
    'countersign.authorization.id': payment.authorizationId,
    'countersign.decision': failSafe.decision,
    'countersign.reason_codes': failSafe.reasonCodes,
    'error.type': fault.code,
  });
  if (principalId === null) throw fault;
  const proposal = failSafeProposal({
    payment,
    clientId,
    principalId,
    decidedAt: isoTime(context.clock()),
    answer: failSafeText(payment, elapsedMs()),
    cause: fault.code,
  });
  const { answer, outcome } = await commit(context, proposal, budget).catch((failure: unknown) => {
    throw failure instanceof LedgerUnresponsive ? failure.fault : failure;
  });
  const refusal = refusalOf(outcome);
  if (refusal) throw refusal;
  if (answer === undefined) throw fault;
  // Those that the gateway gives itself are counted there, not where they are recorded.
  if (outcome === 'recorded') countDecision(context.counted, failSafe, call);
  return { answer, replayed: outcome === 'replayed' };
}

/** Counts and logs the failure: a defect with its stack, an outage in one line per request. */
function reportedFault({ counted }: Context, { log }: Call, error: unknown): Fault {
  const fault = asFault(error);
  counted.failSafes.inc({ code: fault.code });
  if (fault.kind === 'internal') log.error({ err: error }, 'declining after a failure');
  else log.warn({ fault: fault.code, why: whyOf(fault) }, 'declining: dependency unavailable');
  return fault;
}

/** What the database said, where that is the cause: no other process can tell. */
function whyOf({ internal, cause }: Fault): string | undefined {
  return cause instanceof Error ? `${internal}: ${cause.message}` : internal;
}

/** Decision's own database fails with an error of its driver, which is an outage like any other. */
function asFault(thrown: unknown): Fault {
  const error = connectivityFault(thrown);
  if (error instanceof Fault) return error;
  return new Fault('internal', {
    message: 'Something went wrong on our side.',
    cause: error,
  });
}

import { Fault } from '@countersign/kernel/fault';
import type { CommitRequestInput, CommitResponse, Usage } from '@countersign/proto/ledger';
import { ending, type SpanFacts } from '@countersign/runtime/trace';
import { attest } from './attestation/attest.js';
import { commit, refusalOf } from './commit.js';
import type { Context } from './context.js';
import { evaluate } from './evaluate.js';
import { type Gathering, gatherFacts } from './facts.js';
import type { Facts, UsageFacts } from './facts-shape.js';
import { isOwn, type Recorded, rememberKey } from './key-replay.js';
import { proposalOf } from './proposal.js';
import type { Verdict } from './verdict.js';

/** How often the ledger may send a proposal back, by what it says. */
const maxRounds = {
  limits_differ: 4,
  stale: 3,
  challenges_full: 4,
  basis_unknown: 2,
  intent_differs: 4,
};

/**
 * Judges and lays the verdict before the ledger until it is on record. The ledger alone knows the
 * limits and what was revoked meanwhile; each time it objects, the same judge judges the new facts.
 */
export async function decide(
  context: Context,
  { facts, gathering, elapsedMs }: Decision,
  principalId: string,
): Promise<Recorded> {
  let current = facts;
  const kept = context.keptBases[facts.environment];
  const { trace } = gathering.call;
  let withAllTexts = false;
  const rounds: Rounds = {
    limits_differ: 0,
    stale: 0,
    challenges_full: 0,
    basis_unknown: 0,
    intent_differs: 0,
  };
  for (;;) {
    const judging = trace?.child('evaluate');
    const verdict = evaluate(current);
    judging?.end();
    // Signed with every round: what is attested is what is laid before the ledger, and no other.
    const statement = { facts: current, verdict, principalId, at: Date.parse(current.decidedAt) };
    const proposal = proposalOf(current, verdict, {
      principalId,
      attestation: await ending(trace?.child('sign'), attest(context, gathering.call, statement)),
      processingTimeMs: elapsedMs(),
      stepUpWindowSeconds: context.config.stepUpWindowSeconds,
      chainJson: gathering.chainJson,
      isKept: (hash) => !withAllTexts && kept.get(hash) !== undefined,
    });
    const reply = await commit(context, proposal, gathering.budget);
    const refusal = refusalOf(reply.outcome);
    if (refusal) throw refusal;
    if (reply.outcome === 'recorded') for (const name of namesIn(proposal)) kept.set(name, true);
    if (reply.outcome === 'recorded' || reply.outcome === 'replayed') {
      rememberKey(context, gathering);
      const result = recorded(context, reply, { verdict, facts });
      trace?.set(decisionFacts(current, verdict, result));
      return result;
    }
    countRound(context, rounds, reply.outcome);
    // A ledger that was just started, or another replica, whatever others are told meanwhile.
    withAllTexts ||= reply.outcome === 'basis_unknown';
    current =
      reply.outcome === 'stale'
        ? await gatherFacts(context, {
            ...gathering,
            before: current,
            remembered: false,
          })
        : withReply(current, reply);
  }
}

/** What a trace says of a decision: no amount, nobody's name, no text of a caller. */
function decisionFacts(
  { payment, agent }: Facts,
  verdict: Verdict,
  { replayed }: Recorded,
): SpanFacts {
  // What was answered then has an id and a verdict of its own.
  if (replayed) return { 'countersign.replayed': true };
  return {
    'countersign.authorization.id': payment.authorizationId,
    'countersign.decision': verdict.decision,
    'countersign.reason_codes': verdict.reasonCodes,
    ...(agent && { 'countersign.agent.id': agent.id }),
  };
}

/** Under which the ledger keeps what it was sent, or had already. */
function namesIn({ basisHash, thresholdsHash }: CommitRequestInput): string[] {
  return [basisHash, thresholdsHash].filter((name) => name !== undefined);
}

export interface Decision {
  facts: Facts;
  gathering: Gathering;
  /** Milliseconds since the request came in. */
  elapsedMs: () => number;
}

function recorded(
  { counted }: Context,
  { answer, outcome }: CommitResponse,
  { verdict, facts }: { verdict: Verdict; facts: Facts },
): Recorded {
  if (answer === undefined) throw unsettled('the ledger answered without an answer');
  if (outcome === 'recorded') counted.decisions.inc({ decision: verdict.decision });
  return { answer, replayed: outcome === 'replayed' && !isOwn(answer, facts.payment) };
}

function countRound({ counted }: Context, rounds: Rounds, outcome: string): void {
  if (!isRound(outcome)) throw unsettled(`the ledger answered ${outcome}`);
  counted.rounds.inc({ reason: outcome });
  rounds[outcome] += 1;
  if (rounds[outcome] > maxRounds[outcome]) {
    throw unsettled(`still ${outcome} after ${rounds[outcome]} rounds`);
  }
}

type Rounds = typeof maxRounds;

function isRound(outcome: string): outcome is keyof Rounds {
  return Object.hasOwn(maxRounds, outcome);
}

function withReply(facts: Facts, reply: CommitResponse): Facts {
  const { outcome, limitCodes, usage, intentCodes } = reply;
  if (outcome === 'basis_unknown') return facts;
  if (outcome === 'challenges_full') return { ...facts, openChallengesFull: true };
  if (outcome === 'intent_differs') {
    const { intentState: _before, ...rest } = facts;
    return intentCodes.length > 0 ? { ...rest, intentState: intentCodes } : rest;
  }
  return { ...facts, limits: { codes: limitCodes, usage: usage ? usageFacts(usage) : null } };
}

export function usageFacts(usage: Usage): UsageFacts {
  const { day, month, dailyAmount, monthlyAmount, dailyCount, monthlyCount } = usage;
  return { day, month, dailyAmount, monthlyAmount, dailyCount, monthlyCount };
}

function unsettled(internal: string): Fault {
  return new Fault('unavailable', {
    code: 'SERVICE_UNAVAILABLE',
    message: 'The decision could not be settled; try again.',
    internal,
  });
}

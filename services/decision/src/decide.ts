import { Fault } from '@countersign/kernel/fault';
import type { CommitRequestInput, CommitResponse, Usage } from '@countersign/proto/ledger';
import { ending, type SpanFacts } from '@countersign/runtime/trace';
import { attest } from './attestation/attest.js';
import { commit, refusalOf } from './commit.js';
import type { Context } from './context.js';
import { countDecision } from './decision-metrics.js';
import { evaluate } from './evaluate.js';
import type { Facts, UsageFacts } from './facts/shape.js';
import { type Gathering, gatherFacts } from './facts.js';
import { isOwn, type Recorded, rememberKey } from './idempotency/key-replay.js';
import { type ProposalContext, proposalOf } from './record/proposal.js';
import type { Proposal } from './record/proposal-message.js';
import type { Verdict } from './verdict.js';

/** How often the ledger may send a proposal back, by outcome. */
const maxRounds = {
  limits_differ: 4,
  stale: 3,
  challenges_full: 4,
  basis_unknown: 2,
  intent_differs: 4,
};

const noRounds = {
  limits_differ: 0,
  stale: 0,
  challenges_full: 0,
  basis_unknown: 0,
  intent_differs: 0,
};

/**
 * Evaluates and proposes until the ledger has recorded a decision. Only the ledger knows the
 * limits and the fences at the moment of the commit; each time it objects, its reply becomes part
 * of the facts and they are evaluated again.
 */
export async function decide(
  context: Context,
  { facts, gathering, elapsedMs }: Decision,
  principalId: string,
): Promise<Recorded> {
  let current = facts;
  let withAllTexts = false;
  const kept = context.keptBases[facts.environment];
  const { trace } = gathering.call;
  const rounds: Rounds = { ...noRounds };
  for (;;) {
    const judging = trace?.child('evaluate');
    const verdict = evaluate(current);
    judging?.end();
    const isKept = (hash: string): boolean => !withAllTexts && kept.get(hash) !== undefined;
    const judged = { facts: current, verdict, principalId, isKept };
    const proposal = await propose(context, { gathering, elapsedMs }, judged);
    const reply = await commit(context, proposal, gathering.budget);
    const refusal = refusalOf(reply.outcome);
    if (refusal) throw refusal;
    if (reply.outcome === 'recorded')
      for (const name of namesIn(proposal.message)) kept.set(name, true);
    if (reply.outcome === 'recorded' || reply.outcome === 'replayed') {
      rememberKey(context, gathering);
      const result = recorded(context, reply, { verdict, facts });
      trace?.set(decisionFacts(current, verdict, result));
      return result;
    }
    countRound(context, rounds, reply.outcome);
    // This replica of the ledger lacks texts that another replica has acknowledged.
    withAllTexts ||= reply.outcome === 'basis_unknown';
    current =
      reply.outcome === 'stale'
        ? await gatherFacts(context, { ...gathering, before: current, mayUseCache: false })
        : withReply(current, reply);
  }
}

interface Judged extends Pick<ProposalContext, 'principalId' | 'isKept'> {
  facts: Facts;
  verdict: Verdict;
}

/** Signs again in every round: the attestation must match the decision that is proposed. */
async function propose(
  context: Context,
  { gathering, elapsedMs }: Pick<Decision, 'gathering' | 'elapsedMs'>,
  { facts, verdict, principalId, isKept }: Judged,
): Promise<Proposal> {
  const { call, chainJson } = gathering;
  const statement = { facts, verdict, principalId, at: Date.parse(facts.decidedAt) };
  return proposalOf(facts, verdict, {
    principalId,
    signed: await ending(call.trace?.child('sign'), attest(context, call, statement)),
    processingTimeMs: elapsedMs(),
    stepUpWindowSeconds: context.config.stepUpWindowSeconds,
    chainJson,
    isKept,
  });
}

/** Attributes of the trace span: no amounts, no names, no text of a caller. */
function decisionFacts(
  { payment, agent }: Facts,
  verdict: Verdict,
  { replayed }: Recorded,
): SpanFacts {
  // The replayed answer has the id and verdict of the earlier request.
  if (replayed) return { 'countersign.replayed': true };
  return {
    'countersign.authorization.id': payment.authorizationId,
    'countersign.decision': verdict.decision,
    'countersign.reason_codes': verdict.reasonCodes,
    ...(agent && { 'countersign.agent.id': agent.id }),
  };
}

/** Hashes of the texts that the ledger has on record once it has recorded the proposal. */
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
  if (outcome === 'recorded') countDecision(counted, verdict, facts);
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

import type { CommitRequestInput, CommitResponse } from '@countersign/proto/ledger';
import { ending, type SpanFacts } from '@countersign/runtime/trace';
import { attest } from './attestation/attest.js';
import { commit, refusalOf } from './commit.js';
import type { Context } from './context.js';
import { countDecision } from './decision-metrics.js';
import { evaluate } from './evaluate.js';
import type { Facts } from './facts/shape.js';
import { type Gathered, type Gathering, gatherFacts } from './facts.js';
import { isOwn, type Recorded, rememberKey } from './idempotency/key-replay.js';
import { type ProposalContext, proposalOf } from './record/proposal.js';
import type { Proposal } from './record/proposal-message.js';
import { Rounds, unsettled } from './rounds.js';
import { usageFacts } from './usage.js';
import type { Verdict } from './verdict.js';

interface Decision extends Gathered {
  gathering: Gathering;
  /** For whom it is recorded. */
  principalId: string;
  /** Milliseconds since the request came in. */
  elapsedMs: () => number;
}

/**
 * Evaluates and proposes until the ledger has recorded a decision. Only the ledger knows the
 * limits and the fences at the moment of the commit; each time it objects, its reply becomes part
 * of the facts and they are evaluated again.
 */
export async function decide(context: Context, decision: Decision): Promise<Recorded> {
  const { gathering } = decision;
  let current: Gathered = { facts: decision.facts, epoch: decision.epoch };
  let withAllTexts = false;
  const rounds = new Rounds(context.counted);
  for (;;) {
    const { verdict, reply } = await propose(context, decision, { current, withAllTexts });
    if (reply.outcome === 'recorded' || reply.outcome === 'replayed') {
      rememberKey(context, gathering);
      const { facts } = current;
      const result = recorded(context, reply, { verdict, facts });
      gathering.call.trace?.set(decisionFacts(facts, verdict, result));
      return result;
    }
    rounds.count(reply.outcome);
    // This replica of the ledger lacks texts that another replica has acknowledged.
    withAllTexts ||= reply.outcome === 'basis_unknown';
    current = await nextFacts(context, { gathering, current }, reply);
  }
}

/** One round: evaluates, signs and proposes. Throws where the caller has made a mistake. */
async function propose(
  context: Context,
  decision: Decision,
  { current, withAllTexts }: { current: Gathered; withAllTexts: boolean },
): Promise<{ verdict: Verdict; reply: CommitResponse }> {
  const { facts, epoch } = current;
  const { call, budget } = decision.gathering;
  const kept = context.keptBases[facts.environment];
  const isKept = (hash: string): boolean => !withAllTexts && kept.get(hash) !== undefined;
  const judging = call.trace?.child('evaluate');
  const verdict = evaluate(facts);
  judging?.end();
  const proposal = await signedProposal(context, decision, { facts, epoch, verdict, isKept });
  const reply = await commit(context, proposal, budget);
  const refusal = refusalOf(reply.outcome);
  if (refusal) throw refusal;
  if (reply.outcome === 'recorded')
    for (const name of namesIn(proposal.message)) kept.set(name, true);
  return { verdict, reply };
}

/** What is stale is gathered again; every other reply completes what is known. */
async function nextFacts(
  context: Context,
  { gathering, current }: { gathering: Gathering; current: Gathered },
  reply: CommitResponse,
): Promise<Gathered> {
  if (reply.outcome !== 'stale') return { ...current, facts: withReply(current.facts, reply) };
  if (reply.epoch !== undefined) context.agents.adopt(current.facts.environment, reply.epoch);
  return gatherFacts(context, { ...gathering, before: current.facts, mayUseCache: false });
}

interface Judged extends Gathered, Pick<ProposalContext, 'isKept'> {
  verdict: Verdict;
}

/** Signs again in every round: the attestation must match the decision that is proposed. */
async function signedProposal(
  context: Context,
  { gathering, principalId, elapsedMs }: Decision,
  { facts, verdict, isKept, epoch }: Judged,
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
    epoch,
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

function recorded(
  { counted }: Context,
  { answer, outcome }: CommitResponse,
  { verdict, facts }: { verdict: Verdict; facts: Facts },
): Recorded {
  if (answer === undefined) throw unsettled('the ledger answered without an answer');
  if (outcome === 'recorded') countDecision(counted, verdict, facts);
  return { answer, replayed: outcome === 'replayed' && !isOwn(answer, facts.payment) };
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

import { isoTime } from '@countersign/kernel/clock';
import { notOfThisClient } from '@countersign/kernel/fault';
import type { Call } from '@countersign/runtime/grpc-types';
import { ending } from '@countersign/runtime/trace';
import { likenessOf } from './anomaly/compare.js';
import type { Likeness } from './anomaly/likeness.js';
import type { Budget } from './budget.js';
import type { Context } from './context.js';
import type { AgentAnswer } from './facts/agent-directory.js';
import type { ResolvedAgent } from './facts/from-identity.js';
import { intentFacts } from './facts/from-intent.js';
import { merchantKnown } from './facts/from-merchants.js';
import { type CountedDecision, velocityFacts } from './facts/from-velocity.js';
import type { AgentFacts, Facts, IntentFacts, PaymentFacts, VelocityFacts } from './facts/shape.js';
import { relevantMandates } from './mandate-choice.js';
import type { StoredState } from './state/merge.js';
import { defaultThresholds } from './thresholds/table.js';

export interface Gathering {
  call: Call;
  budget: Budget;
  clientId: string;
  /** The acting Principal, if the credential or the header names one. */
  principalId: string | null;
  /** Not yet checked to be the Client's Principal: nothing may be read or recorded for it. */
  claimed?: boolean;
  payment: PaymentFacts;
  /** `add` counts the decision in the short window, `out` only reads; absent for neither. */
  velocity?: 'add' | 'out';
  /** The facts of the round before: its time and its count in the short window are kept. */
  before?: Facts;
  /** The vi_chain as it was sent. The ledger stores it; the facts have only its verification. */
  chainJson?: string | undefined;
  /** Filled in on the way, since each later step can fail. */
  progress?: Progress;
  /** Whether cached facts suffice, since the ledger refuses a proposal made from outdated ones. */
  mayUseCache?: boolean;
}

/** How far the gathering has come. */
export interface Progress {
  /** Whose payment it is; once identity has answered, as that says. */
  principalId: string | null;
  /** Set once the decision is counted in the short window; to be undone if it is not made. */
  counting?: CountedDecision;
}

export interface Gathered {
  facts: Facts;
  /** Of the ledger's database, as known when the agent was read. */
  epoch: string;
}

/** Reads everything that a decision needs, before it is evaluated. */
export async function gatherFacts(context: Context, gathering: Gathering): Promise<Gathered> {
  const { call, clientId, payment, progress } = gathering;
  const { actingPrincipalId, known, epoch } = await readAgent(context, gathering);
  if (progress) progress.principalId = actingPrincipalId;
  const decidedAt = gathering.before?.decidedAt ?? isoTime(context.clock());
  const own = known ? await readOwn(context, gathering, { agent: known.agent, decidedAt }) : null;
  const thresholds = own?.thresholds ?? defaultThresholds;
  // One literal: extending an object afterwards costs more than making it.
  const facts: Facts = {
    model: 'facts-1',
    environment: call.environment,
    decidedAt,
    clientId,
    actingPrincipalId,
    payment,
    agent: known?.agent ?? null,
    principal: known?.principal ?? null,
    program: known?.program ?? null,
    mandates: relevantMandates(known?.mandates ?? [], payment.rail, decidedAt),
    thresholds,
    profile: own?.profile ?? null,
    limits: { codes: [], usage: null },
    merchantKnown: await merchantKnown(context, gathering, {
      agentId: known?.agent.id,
      thresholds,
    }),
    likeness: own ? compared(payment, own, decidedAt) : undefined,
    velocity: own?.velocity,
    intent: known ? await presented(context, gathering, { known, decidedAt }) : undefined,
  };
  return { facts, epoch };
}

/** Undefined if no chain was presented. */
async function presented(
  context: Context,
  gathering: Gathering,
  agent: { known: ResolvedAgent; decidedAt: string },
): Promise<IntentFacts | undefined> {
  const { chainJson } = gathering;
  if (chainJson === undefined) return undefined;
  const intent = await intentFacts(context, { ...gathering, chainJson }, agent);
  if (isFirstRound(gathering)) context.counted.intents.inc({ verified: `${intent.verified}` });
  return intent;
}

/** Of a decision: simulations are none. */
function isFirstRound({ before, velocity }: Gathering): boolean {
  return before === undefined && velocity === 'add';
}

function compared(payment: PaymentFacts, own: StoredState, decidedAt: string): Likeness {
  const { baseline, thresholds } = own;
  const minHistory = thresholds.intentAnomalyMinHistory;
  return likenessOf(baseline, { payment, at: Date.parse(decidedAt), minHistory });
}

/** Throws for a claimed Principal that is not the Client's. */
export async function readAgent(context: Context, gathering: Gathering): Promise<AgentAnswer> {
  const { budget, clientId, principalId, claimed, payment, mayUseCache = false } = gathering;
  const { agentId, agentDid } = payment;
  const question = { clientId, principalId, agentId, agentDid };
  const options = budget.callOptions('identity');
  const found = await context.agents.read(question, options, { mayUseCache });
  if (claimed && found.actingPrincipalId !== principalId) throw notOfThisClient();
  return found;
}

const stateSpan = { 'db.system.name': 'postgresql', 'db.operation.name': 'read_state' } as const;

/**
 * What this service itself stores: the Principal's thresholds and the agent's past, and at the
 * same time the agent's short velocity window.
 */
async function readOwn(
  context: Context,
  gathering: Gathering,
  { agent, decidedAt }: { agent: AgentFacts; decidedAt: string },
): Promise<StoredState & { velocity: VelocityFacts | undefined }> {
  const { call, budget, velocity: how, before, payment, progress } = gathering;
  const { environment } = call;
  const { id: agentId, principalId } = agent;
  const asked = { principalId, agentId, endsAt: budget.endOf('database') };
  const span = call.trace?.child('read stored state', stateSpan, 'client');
  const known = ending(span, context.stateReader[environment].read(asked));
  const reading = budget.within('database', known);
  const [{ thresholds, profile, baseline }, velocity] = await Promise.all([
    reading,
    velocityFacts(context, {
      environment,
      how,
      progress,
      agent,
      authorizationId: payment.authorizationId,
      decidedAt,
      before,
      reading,
      trace: call.trace,
    }),
  ]);
  return { thresholds, profile, baseline, velocity };
}

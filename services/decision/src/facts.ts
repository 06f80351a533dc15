import { isoTime } from '@countersign/kernel/clock';
import { notOfThisClient } from '@countersign/kernel/fault';
import type { Call } from '@countersign/runtime/grpc-types';
import { ending } from '@countersign/runtime/trace';
import { likenessOf } from './anomaly/compare.js';
import type { Likeness } from './anomaly/likeness.js';
import type { Budget } from './budget.js';
import type { Context } from './context.js';
import { intentFacts } from './facts-from-intent.js';
import { merchantFacts } from './facts-from-merchants.js';
import { type Counting, velocityFacts } from './facts-from-velocity.js';
import type { AgentFacts, Facts, PaymentFacts, VelocityFacts } from './facts-shape.js';
import type { AgentAnswer } from './known-agents.js';
import type { Known } from './known-reader.js';
import { relevantMandates } from './mandate-choice.js';
import { defaultThresholds } from './thresholds/table.js';

export interface Gathering {
  call: Call;
  budget: Budget;
  clientId: string;
  /** The acting Principal where credential or header names one. */
  principalId: string | null;
  /** Nobody has found out yet whether it is the Client's; nothing may be read or kept for it. */
  claimed?: boolean;
  payment: PaymentFacts;
  /** Whether the short window counts the decision, or is looked at only; absent: neither. */
  velocity?: 'add' | 'out';
  /** Told of what is being counted, since it may turn out to be no decision. */
  onCounting?: (counting: Counting) => void;
  /** By what a decision was judged before: its time stays, and so does what it was counted as. */
  before?: Facts;
  /** The vi_chain as it was sent. It is verified here and kept by the ledger, in no facts. */
  chainJson?: string | undefined;
  /** Told who acts as soon as identity has said it: what comes after can still fail. */
  onActing?: (principalId: string | null) => void;
  /** Facts from memory will do, because the ledger refuses what was judged by old ones. */
  remembered?: boolean;
}

/** All the reading that a decision does, before anything is judged. */
export async function gatherFacts(context: Context, gathering: Gathering): Promise<Facts> {
  const { call, clientId, payment } = gathering;
  const { actingPrincipalId, known } = await readAgent(context, gathering);
  const decidedAt = gathering.before?.decidedAt ?? isoTime(context.clock());
  gathering.onActing?.(actingPrincipalId);
  const own = known ? await readOwn(context, gathering, { agent: known.agent, decidedAt }) : null;
  const { thresholds, profile } = own ?? { thresholds: defaultThresholds, profile: null };
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
    profile,
    limits: { codes: [], usage: null },
    ...(await merchantFacts(context, gathering, { agentId: known?.agent.id, thresholds })),
  };
  if (own) facts.likeness = compared(payment, own, decidedAt);
  if (own?.velocity) facts.velocity = own.velocity;
  if (known && gathering.chainJson !== undefined) {
    const { chainJson } = gathering;
    facts.intent = await intentFacts(context, { ...gathering, chainJson }, { known, decidedAt });
  }
  return facts;
}

function compared(payment: PaymentFacts, own: Known, decidedAt: string): Likeness {
  const { baseline, thresholds } = own;
  const minHistory = thresholds.intentAnomalyMinHistory;
  return likenessOf(baseline, { payment, at: Date.parse(decidedAt), minHistory });
}

/** Refuses a claimed Principal that is not the Client's. */
export async function readAgent(context: Context, gathering: Gathering): Promise<AgentAnswer> {
  const { budget, clientId, principalId, claimed, payment, remembered = false } = gathering;
  const { agentId, agentDid } = payment;
  const question = { clientId, principalId, agentId, agentDid };
  const options = budget.callOptions('identity');
  const found = await context.agents.read(question, options, { remembered });
  if (claimed && found.actingPrincipalId !== principalId) throw notOfThisClient();
  return found;
}

const knownSpan = { 'db.system.name': 'postgresql', 'db.operation.name': 'known' } as const;

/**
 * What this service itself remembers: the Principal's thresholds, the agent's past, and beside it
 * how much the agent has asked for of late.
 */
async function readOwn(
  context: Context,
  gathering: Gathering,
  { agent, decidedAt }: { agent: AgentFacts; decidedAt: string },
): Promise<Known & { velocity: VelocityFacts | undefined }> {
  const { call, budget, velocity: how, onCounting, before } = gathering;
  const { environment } = call;
  const { id: agentId, principalId } = agent;
  const span = call.trace?.child('read what is known', knownSpan, 'client');
  const known = ending(span, context.known[environment].read({ principalId, agentId }));
  const reading = budget.within('database', known);
  const [{ thresholds, profile, baseline }, velocity] = await Promise.all([
    reading,
    velocityFacts(context, {
      environment,
      how,
      onCounting,
      agent,
      decidedAt,
      before,
      reading,
      trace: call.trace,
    }),
  ]);
  return { thresholds, profile, baseline, velocity };
}

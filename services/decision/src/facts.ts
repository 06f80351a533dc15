import { isoTime } from '@countersign/kernel/clock';
import { notOfThisClient } from '@countersign/kernel/fault';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Budget } from './budget.js';
import type { Context } from './context.js';
import { merchantFacts } from './facts-from-merchants.js';
import type { Facts, PaymentFacts } from './facts-shape.js';
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
  /** Set when a decision is judged again: its time stays the one it began with. */
  decidedAt?: string;
  /** Set when only this mandate may be used: the one a challenge was made under. */
  mandateId?: string;
  /** Told who acts as soon as identity has said it: what comes after can still fail. */
  onActing?: (principalId: string | null) => void;
  /** Facts from memory will do, because the ledger refuses what was judged by old ones. */
  remembered?: boolean;
}

/** All the reading that a decision does, before anything is judged. */
export async function gatherFacts(context: Context, gathering: Gathering): Promise<Facts> {
  const { call, clientId, payment } = gathering;
  const { actingPrincipalId, known } = await readAgent(context, gathering);
  const decidedAt = gathering.decidedAt ?? isoTime(context.clock());
  gathering.onActing?.(actingPrincipalId);
  const eligible = (known?.mandates ?? []).filter(
    ({ id }) => gathering.mandateId === undefined || id === gathering.mandateId,
  );
  const { thresholds, profile } = known
    ? await readOwn(context, gathering, known.agent)
    : { thresholds: defaultThresholds, profile: null };
  return {
    model: 'facts-1',
    environment: call.environment,
    decidedAt,
    clientId,
    actingPrincipalId,
    payment,
    agent: known?.agent ?? null,
    principal: known?.principal ?? null,
    program: known?.program ?? null,
    mandates: relevantMandates(eligible, payment.rail, decidedAt),
    thresholds,
    profile,
    limits: { codes: [], usage: null },
    ...(await merchantFacts(context, gathering, { agentId: known?.agent.id, thresholds })),
  };
}

/** Refuses a claimed Principal that is not the Client's. */
export async function readAgent(context: Context, gathering: Gathering): Promise<AgentAnswer> {
  const { budget, clientId, principalId, claimed, payment, remembered = false } = gathering;
  const { agentId, agentDid } = payment;
  const { mandateId } = gathering;
  const question = { clientId, principalId, agentId, agentDid, mandateId };
  const options = budget.callOptions('identity');
  const found = await context.agents.read(question, options, { remembered });
  if (claimed && found.actingPrincipalId !== principalId) throw notOfThisClient();
  return found;
}

/** What this service itself remembers: the Principal's thresholds and the agent's past. */
async function readOwn(
  context: Context,
  { call, budget }: Gathering,
  { id: agentId, principalId }: { id: string; principalId: string },
): Promise<Known> {
  const reading = context.known[call.environment].read({ principalId, agentId });
  return budget.within('database', reading);
}

import { isoTime } from '@countersign/kernel/clock';
import type { SpendingFacts } from '@countersign/proto/identity';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Budget } from './budget.js';
import type { Context } from './context.js';
import { knownAgent } from './facts-from-identity.js';
import type { Facts, PaymentFacts, ProfileFacts } from './facts-shape.js';
import { relevantMandates } from './mandate-choice.js';
import { defaultThresholds, resolveThresholds, type Thresholds } from './thresholds/table.js';

export interface Gathering {
  call: Call;
  budget: Budget;
  clientId: string;
  /** The acting Principal where credential or header names one. */
  principalId: string | null;
  payment: PaymentFacts;
  /** Set when a decision is judged again: its time stays the one it began with. */
  decidedAt?: string;
  /** Set when only this mandate may be used: the one a challenge was made under. */
  mandateId?: string;
  /** Told who acts as soon as identity has said it: what comes after can still fail. */
  onActing?: (principalId: string | null) => void;
}

/** All the reading that a decision does, before anything is judged. */
export async function gatherFacts(context: Context, gathering: Gathering): Promise<Facts> {
  const { call, clientId, payment } = gathering;
  const found = await askIdentity(context, gathering);
  const decidedAt = gathering.decidedAt ?? isoTime(context.clock());
  const actingPrincipalId = found.actingPrincipalId ?? null;
  gathering.onActing?.(actingPrincipalId);
  const known = knownAgent(found, payment, actingPrincipalId);
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
  };
}

function askIdentity(context: Context, gathering: Gathering): Promise<SpendingFacts> {
  const { budget, clientId, principalId, payment } = gathering;
  return context.spendingFacts(
    {
      clientId,
      ...(principalId !== null && { principalId }),
      ...(payment.agentId !== null && { agentId: payment.agentId }),
      ...(payment.agentDid !== null && { agentDid: payment.agentDid }),
    },
    budget.callOptions('identity'),
  );
}

/** What this service itself remembers: the Principal's thresholds and the agent's past. */
async function readOwn(
  context: Context,
  { call, budget }: Gathering,
  { id: agentId, principalId }: { id: string; principalId: string },
): Promise<{ thresholds: Thresholds; profile: ProfileFacts | null }> {
  const reading = context.known[call.environment].read({ principalId, agentId });
  const { overrides, profile } = await budget.within('database', reading);
  return { thresholds: resolveThresholds(overrides), profile };
}

import type {
  CreateAgentRequest,
  CreateMandateRequest,
  OnboardRequest,
  RegisterPrincipalRequest,
} from '@countersign/proto/identity';
import { agentRefusal, findCreatedAgent, insertAgent, readAgentIdentity } from '../agent/create.js';
import { agentView } from '../agent/view.js';
import type { Context } from '../context.js';
import { createOnce } from '../create-once.js';
import type { Reader, Transaction } from '../db.js';
import { insertMandate } from '../mandate/create.js';
import { mandateView } from '../mandate/view.js';
import { findRegistered, insertPrincipal, registrationRefusal } from '../principal/register.js';
import { principalView } from '../principal/view.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

/**
 * Creates a principal, its first agent and a mandate in one transaction. No fence is needed: no
 * decision can be based on an earlier version of a new agent.
 */
export function onboard(context: Context): Handler<'Onboard'> {
  return async (unlinked, { environment }) => {
    const { prisma } = context.stores[environment];
    const { baseUrl } = context.config;
    const nowMs = context.clock();
    const request = linkRequest(unlinked);
    const created = await createOnce({
      find: () => findOnboarded(prisma, request),
      create: async () => {
        const identity = await readAgentIdentity(request.agent, { baseUrl, environment, nowMs });
        return prisma.$transaction((tx) =>
          insertAll(tx, request, { config: context.config, identity, nowMs }),
        );
      },
      refuse: (index) =>
        index.startsWith('principals_') ? registrationRefusal(index) : agentRefusal(index),
    });
    return {
      principal: principalView(created.principal, nowMs),
      agent: agentView(created.agent),
      mandate: mandateView(created.mandate, nowMs),
    };
  };
}

interface LinkedRequest {
  principal: RegisterPrincipalRequest;
  agent: CreateAgentRequest;
  mandate: CreateMandateRequest;
}

/** Sets the references between the three parts, overriding any that the gateway sent. */
function linkRequest({ principal, agent, mandate }: OnboardRequest): LinkedRequest {
  if (!principal || !agent || !mandate) {
    throw refusal.conflict('principal, agent and mandate are created together.');
  }
  const { clientId, id: principalId } = principal;
  return {
    principal,
    agent: { ...agent, clientId, principalId, programOptional: false },
    mandate: { ...mandate, clientId, agentId: agent.id, principalId: undefined },
  };
}

async function findOnboarded(reader: Reader, request: LinkedRequest) {
  const principal = await findRegistered(reader, request.principal);
  if (!principal) return null;
  const agent = await findCreatedAgent(reader, request.agent);
  const mandate = await reader.mandate.findFirst({
    where: { id: request.mandate.id, agentId: request.agent.id },
  });
  if (!agent || !mandate) throw refusal.idInUse(principal.id);
  return { principal, agent, mandate };
}

interface Scope {
  config: Context['config'];
  identity: Awaited<ReturnType<typeof readAgentIdentity>>;
  nowMs: number;
}

async function insertAll(
  tx: Transaction,
  request: LinkedRequest,
  { config, identity, nowMs }: Scope,
) {
  const principal = await insertPrincipal(tx, request.principal, {
    config,
    nowMs,
    fieldPrefix: 'principal.',
  });
  const programIds = principal.enrolments.map(({ programId }) => programId);
  const agent = await insertAgent(tx, request.agent, { identity, programIds, nowMs });
  const program =
    agent.programId === null
      ? null
      : await tx.program.findUnique({ where: { id: agent.programId } });
  const mandate = await insertMandate(tx, request.mandate, {
    agent,
    program,
    plane: 'onboarding',
    fieldPrefix: 'mandate.',
    nowMs,
  });
  return { principal, agent, mandate };
}

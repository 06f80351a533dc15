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
 * Principal, first agent and mandate in one transaction or not at all. Nothing is fenced: no
 * judgement can have been made of an agent that did not exist.
 */
export function onboard(context: Context): Handler<'Onboard'> {
  return async (given, { environment }) => {
    const { prisma } = context.stores[environment];
    const { baseUrl } = context.config;
    const nowMs = context.clock();
    const request = wholeRequest(given);
    const made = await createOnce({
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
      principal: principalView(made.principal, nowMs),
      agent: agentView(made.agent),
      mandate: mandateView(made.mandate, nowMs),
    };
  };
}

interface WholeRequest {
  principal: RegisterPrincipalRequest;
  agent: CreateAgentRequest;
  mandate: CreateMandateRequest;
}

/** The three parts name each other: the edge need not say it, and cannot say otherwise. */
function wholeRequest({ principal, agent, mandate }: OnboardRequest): WholeRequest {
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

async function findOnboarded(reader: Reader, request: WholeRequest) {
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
  request: WholeRequest,
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

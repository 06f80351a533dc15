import { createAgent } from '../handlers/create-agent.js';
import { createMandate } from '../handlers/create-mandate.js';
import { getAgent } from '../handlers/get-agent.js';
import { getAgentMetrics } from '../handlers/get-agent-metrics.js';
import { getMandate } from '../handlers/get-mandate.js';
import { getMandateBudget } from '../handlers/get-mandate-budget.js';
import { listAgentMandates } from '../handlers/list-agent-mandates.js';
import { listAgents } from '../handlers/list-agents.js';
import { revokeMandate } from '../handlers/revoke-mandate.js';
import { updateAgentStatus } from '../handlers/update-agent-status.js';
import { type AnyRoute, route } from '../route.js';
import * as agents from '../schemas/agent.js';
import { budget } from '../schemas/budget.js';
import * as mandates from '../schemas/mandate.js';
import { agentPath, mandatePath } from '../schemas/path.js';

const agentsTable = { plane: 'runtime', scope: 'agents', tag: 'Agents' } as const;
const mandatesTable = { plane: 'runtime', scope: 'mandates', tag: 'Mandates' } as const;

export const agentRoutes: AnyRoute[] = [
  route({
    ...agentsTable,
    method: 'POST',
    path: '/api/v1/agents',
    rateGroup: 'write',
    operation: 'createAgent',
    summary: 'Register an Agent of the acting Principal',
    body: agents.createAgent,
    responses: { 201: agents.agent },
    handler: createAgent,
    documented: { errors: [409] },
  }),
  route({
    ...agentsTable,
    method: 'GET',
    path: '/api/v1/agents',
    rateGroup: 'read',
    operation: 'listAgents',
    summary: 'List the Agents of the acting Principal',
    query: agents.listAgentsQuery,
    responses: { 200: agents.agentPage },
    handler: listAgents,
  }),
  route({
    ...agentsTable,
    method: 'GET',
    path: '/api/v1/agents/:agent_id',
    rateGroup: 'read',
    operation: 'getAgent',
    summary: 'Read an Agent',
    params: agentPath,
    responses: { 200: agents.agent },
    handler: getAgent,
  }),
  route({
    ...agentsTable,
    method: 'GET',
    path: '/api/v1/agents/:agent_id/metrics',
    rateGroup: 'read',
    operation: 'getAgentMetrics',
    summary: 'Read what an Agent has done and how far it is from promotion',
    params: agentPath,
    responses: { 200: agents.agentMetrics },
    handler: getAgentMetrics,
  }),
  route({
    ...agentsTable,
    method: 'PATCH',
    path: '/api/v1/agents/:agent_id/status',
    rateGroup: 'write',
    operation: 'updateAgentStatus',
    summary: 'Suspend, reactivate or revoke an Agent',
    params: agentPath,
    body: agents.updateAgentStatus,
    responses: { 200: agents.agentStatus },
    handler: updateAgentStatus,
  }),
  route({
    ...mandatesTable,
    method: 'POST',
    path: '/api/v1/mandates',
    rateGroup: 'write',
    operation: 'createMandate',
    summary: 'Create a Mandate for an Agent of the acting Principal',
    body: mandates.createMandate,
    responses: { 201: mandates.mandate },
    handler: createMandate,
    documented: { errors: [404] },
  }),
  route({
    ...mandatesTable,
    method: 'GET',
    path: '/api/v1/mandates/agent/:agent_id',
    rateGroup: 'read',
    operation: 'listAgentMandates',
    summary: 'List the Mandates of an Agent',
    params: agentPath,
    query: mandates.listMandatesQuery,
    responses: { 200: mandates.mandateList },
    handler: listAgentMandates,
  }),
  route({
    ...mandatesTable,
    method: 'GET',
    path: '/api/v1/mandates/:mandate_id',
    rateGroup: 'read',
    operation: 'getMandate',
    summary: 'Read a Mandate',
    params: mandatePath,
    responses: { 200: mandates.mandate },
    handler: getMandate,
  }),
  route({
    ...mandatesTable,
    method: 'DELETE',
    path: '/api/v1/mandates/:mandate_id',
    rateGroup: 'write',
    operation: 'revokeMandate',
    summary: 'Revoke a Mandate; its record stays',
    params: mandatePath,
    responses: { 200: mandates.mandate },
    handler: revokeMandate,
  }),
  route({
    ...mandatesTable,
    method: 'GET',
    path: '/api/v1/mandates/:mandate_id/budget',
    rateGroup: 'read',
    operation: 'getMandateBudget',
    summary: 'Read how much of the limits of a Mandate is used today and this month',
    params: mandatePath,
    responses: { 200: budget },
    handler: getMandateBudget,
  }),
];

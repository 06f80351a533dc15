import { addAgent } from '../handlers/add-agent.js';
import { createSandboxKey } from '../handlers/create-sandbox-key.js';
import { enrollPrincipal } from '../handlers/enroll-principal.js';
import { getPrincipal } from '../handlers/get-principal.js';
import { getProgram } from '../handlers/get-program.js';
import { grantMandate } from '../handlers/grant-mandate.js';
import { listPrincipalAgents } from '../handlers/list-principal-agents.js';
import { listPrograms } from '../handlers/list-programs.js';
import { onboard } from '../handlers/onboard.js';
import { registerPrincipal } from '../handlers/register-principal.js';
import { simulateVerification } from '../handlers/simulate-verification.js';
import { type AnyRoute, route } from '../route.js';
import * as agents from '../schemas/agent.js';
import { pageQuerySchema } from '../schemas/list.js';
import * as mandates from '../schemas/mandate.js';
import * as onboarding from '../schemas/onboarding.js';
import { agentPath, principalPath, programPath } from '../schemas/path.js';
import * as principals from '../schemas/principal.js';
import * as programs from '../schemas/program.js';

const tag = 'Onboarding';
const onboardingPlane = { plane: 'onboarding', tag, flatErrors: true } as const;

export const onboardingRoutes: AnyRoute[] = [
  route({
    ...onboardingPlane,
    method: 'POST',
    path: '/api/v1/onboard',
    scope: 'principals',
    rateGroup: 'write',
    operation: 'onboard',
    summary: 'Create a Principal, its first Agent and its Mandate, all or nothing',
    idempotent: true,
    body: onboarding.onboard,
    responses: { 201: onboarding.onboarded, 202: onboarding.onboarded },
    handler: onboard,
  }),
  route({
    ...onboardingPlane,
    method: 'POST',
    path: '/api/v1/principals',
    scope: 'principals',
    rateGroup: 'write',
    operation: 'registerPrincipal',
    summary: 'Register a Principal and enroll it in Programs',
    idempotent: true,
    body: principals.registerPrincipal,
    responses: { 201: principals.principal, 202: principals.principal },
    handler: registerPrincipal,
  }),
  route({
    method: 'GET',
    path: '/api/v1/principals/:principal_id',
    plane: 'runtime',
    scope: 'principals',
    rateGroup: 'read',
    operation: 'getPrincipal',
    summary: 'Read the acting Principal',
    tag,
    params: principalPath,
    responses: { 200: principals.actingPrincipal },
    handler: getPrincipal,
  }),
  route({
    ...onboardingPlane,
    method: 'POST',
    path: '/api/v1/principals/:principal_id/programs',
    scope: 'principals',
    rateGroup: 'write',
    operation: 'enrollPrincipal',
    summary: 'Enroll a Principal in a Program',
    params: principalPath,
    body: principals.enrollPrincipal,
    responses: { 200: principals.enrolment },
    handler: enrollPrincipal,
  }),
  route({
    ...onboardingPlane,
    method: 'POST',
    path: '/api/v1/principals/:principal_id/agents',
    scope: 'principals',
    rateGroup: 'write',
    operation: 'addAgent',
    summary: 'Add an Agent to a Principal',
    idempotent: true,
    params: principalPath,
    body: agents.addAgent,
    responses: { 201: agents.onboardingAgent },
    handler: addAgent,
  }),
  route({
    ...onboardingPlane,
    method: 'GET',
    path: '/api/v1/principals/:principal_id/agents',
    scope: 'principals',
    rateGroup: 'read',
    operation: 'listPrincipalAgents',
    summary: 'List the Agents of a Principal',
    params: principalPath,
    responses: { 200: agents.principalAgents },
    handler: listPrincipalAgents,
  }),
  route({
    ...onboardingPlane,
    method: 'POST',
    path: '/api/v1/agents/:agent_id/mandates',
    scope: 'agents',
    rateGroup: 'write',
    operation: 'grantMandate',
    summary: 'Grant an Agent spending authority',
    idempotent: true,
    params: agentPath,
    body: mandates.grantMandate,
    responses: { 201: mandates.onboardingMandate },
    handler: grantMandate,
  }),
  route({
    ...onboardingPlane,
    method: 'POST',
    path: '/api/v1/principals/:principal_id/sandbox-key',
    scope: 'principals',
    rateGroup: 'write',
    operation: 'createSandboxKey',
    summary: 'Mint a sandbox key that acts for one Principal',
    params: principalPath,
    responses: { 201: principals.sandboxKey },
    handler: createSandboxKey,
    documented: {
      description:
        'The key has the scopes, access, IP allowlist and expiry of the key that mints it. A ' +
        'Principal can have 100 that are neither expired nor revoked; one more is 422 ' +
        '`too_many_sandbox_keys`.',
    },
  }),
  route({
    ...onboardingPlane,
    method: 'POST',
    path: '/api/v1/principals/:principal_id/verification/simulate',
    scope: 'principals',
    rateGroup: 'write',
    operation: 'simulateVerification',
    summary: 'Resolve a pending verification (sandbox only)',
    params: principalPath,
    body: principals.simulateVerification,
    responses: { 200: principals.principal },
    handler: simulateVerification,
  }),
  route({
    method: 'GET',
    path: '/api/v1/programs',
    plane: 'onboarding',
    scope: 'principals',
    rateGroup: 'read',
    operation: 'listPrograms',
    summary: 'List the Programs of the Client',
    tag,
    query: pageQuerySchema,
    responses: { 200: programs.programPage },
    handler: listPrograms,
  }),
  route({
    method: 'GET',
    path: '/api/v1/programs/:program_id',
    plane: 'onboarding',
    scope: 'principals',
    rateGroup: 'read',
    operation: 'getProgram',
    summary: 'Read a Program',
    tag,
    params: programPath,
    responses: { 200: programs.program },
    handler: getProgram,
  }),
];

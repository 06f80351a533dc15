import { authorize } from '../handlers/authorize.js';
import { confirmStepUp } from '../handlers/confirm-step-up.js';
import { denyStepUp } from '../handlers/deny-step-up.js';
import { explainAuthorization } from '../handlers/explain-authorization.js';
import { getAuthorization } from '../handlers/get-authorization.js';
import { listAgentAuthorizations } from '../handlers/list-agent-authorizations.js';
import { listAuthorizations } from '../handlers/list-authorizations.js';
import { listPendingStepUps } from '../handlers/list-pending-step-ups.js';
import { reverseAuthorization } from '../handlers/reverse-authorization.js';
import { simulateAuthorization } from '../handlers/simulate-authorization.js';
import { verifyStepUpCode } from '../handlers/verify-step-up-code.js';
import { type AnyRoute, route } from '../route.js';
import * as authorizations from '../schemas/authorization.js';
import { explanation } from '../schemas/explanation.js';
import { pageQuerySchema } from '../schemas/list.js';
import * as logs from '../schemas/log-entry.js';
import { logQuery } from '../schemas/log-query.js';
import { agentPath, authorizationPath } from '../schemas/path.js';
import * as payments from '../schemas/payment.js';
import * as reversals from '../schemas/reversal.js';
import * as stepUps from '../schemas/step-up.js';

const scope = 'authorize';
const tag = 'Authorization';
const stepUpTag = 'Step-up';

export const authorizationRoutes: AnyRoute[] = [
  route({
    method: 'POST',
    path: '/api/v1/authorize',
    plane: 'authorize',
    scope,
    rateGroup: 'authorize',
    operation: 'authorize',
    summary: 'Decide whether an Agent may make a payment',
    tag,
    access: 'spend',
    allowedWhileUnverified: true,
    body: payments.authorize,
    responses: { 200: authorizations.authorization },
    handler: authorize,
    documented: {
      description:
        'Answers 200 with APPROVE, DECLINE or STEP_UP: a decline is an answer, not an error. ' +
        'With `idempotency_key`, a retry answers the first decision again, byte for byte.',
      headers: { 'Idempotent-Replayed': '`true` where this is the first answer given again.' },
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/authorize/simulate',
    plane: 'authorize',
    scope,
    rateGroup: 'authorize',
    operation: 'simulateAuthorization',
    summary: 'Decide without reserving, recording or announcing anything',
    tag,
    access: 'read',
    allowedWhileUnverified: true,
    body: payments.authorize,
    responses: { 200: authorizations.simulation },
    handler: simulateAuthorization,
  }),
  route({
    method: 'POST',
    path: '/api/v1/authorize/reverse',
    plane: 'runtime',
    scope,
    rateGroup: 'write',
    operation: 'reverseAuthorization',
    summary: 'Release what an approved authorization reserved, whole or in part',
    tag,
    body: reversals.reverse,
    responses: { 200: reversals.reversal },
    handler: reverseAuthorization,
    documented: { errors: [404] },
  }),
  route({
    method: 'GET',
    path: '/api/v1/authorize/log',
    plane: 'runtime',
    scope,
    rateGroup: 'read',
    operation: 'listAuthorizations',
    summary: 'List the authorizations of a Principal, newest first',
    tag,
    query: logQuery,
    responses: { 200: logs.logPage },
    handler: listAuthorizations,
    documented: { errors: [404] },
  }),
  route({
    method: 'GET',
    path: '/api/v1/authorize/log/agent/:agent_id',
    plane: 'runtime',
    scope,
    rateGroup: 'read',
    operation: 'listAgentAuthorizations',
    summary: 'List the authorizations of an Agent, newest first',
    tag,
    params: agentPath,
    query: pageQuerySchema,
    responses: { 200: logs.logPage },
    handler: listAgentAuthorizations,
  }),
  route({
    method: 'GET',
    path: '/api/v1/authorize/log/:authorization_id',
    plane: 'runtime',
    scope,
    rateGroup: 'read',
    operation: 'getAuthorization',
    summary: 'Read an authorization from the log',
    tag,
    params: authorizationPath,
    responses: { 200: logs.logEntry },
    handler: getAuthorization,
  }),
  route({
    method: 'GET',
    path: '/api/v1/authorize/log/:authorization_id/explain',
    plane: 'runtime',
    scope,
    rateGroup: 'read',
    operation: 'explainAuthorization',
    summary: 'Explain a decision: inputs, rules and score components',
    tag,
    params: authorizationPath,
    responses: { 200: explanation },
    handler: explainAuthorization,
  }),
  route({
    method: 'GET',
    path: '/api/v1/authorize/step-up/pending',
    plane: 'runtime',
    scope,
    rateGroup: 'read',
    operation: 'listPendingStepUps',
    summary: 'List unanswered challenges, newest first',
    tag: stepUpTag,
    query: pageQuerySchema,
    responses: { 200: stepUps.pendingStepUpPage },
    handler: listPendingStepUps,
  }),
  route({
    method: 'POST',
    path: '/api/v1/authorize/step-up/:authorization_id/confirm',
    plane: 'runtime',
    scope,
    rateGroup: 'write',
    operation: 'confirmStepUp',
    summary: 'Confirm a challenge',
    tag: stepUpTag,
    params: authorizationPath,
    responses: { 200: stepUps.stepUpConfirmed },
    handler: confirmStepUp,
  }),
  route({
    method: 'POST',
    path: '/api/v1/authorize/step-up/:authorization_id/deny',
    plane: 'runtime',
    scope,
    rateGroup: 'write',
    operation: 'denyStepUp',
    summary: 'Deny a challenge',
    tag: stepUpTag,
    params: authorizationPath,
    body: stepUps.denyStepUp,
    bodyRequired: false,
    responses: { 200: stepUps.stepUpDenied },
    handler: denyStepUp,
  }),
  route({
    method: 'POST',
    path: '/api/v1/authorize/step-up/:authorization_id/verify-otp',
    plane: 'runtime',
    scope,
    rateGroup: 'write',
    operation: 'verifyStepUpCode',
    summary: 'Confirm a challenge by its one-time code',
    tag: stepUpTag,
    params: authorizationPath,
    body: stepUps.verifyOtp,
    responses: { 200: stepUps.stepUpConfirmed },
    handler: verifyStepUpCode,
  }),
];

import { findAgent } from '../agents.js';
import * as answers from '../answers.js';
import { listAuditEvents } from '../audit.js';
import { findAuthorization } from '../authorizations.js';
import { listFailingWebhooks } from '../failing-webhooks.js';
import { listFraudPatterns } from '../fraud-patterns.js';
import { getIntentEvidence } from '../intent-evidence.js';
import { base, type OperatorRoute, operatorRoute } from '../route.js';
import * as schemas from '../schemas.js';
import { rotateSigningKeys } from '../signing-keys.js';

export const installationRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: `${base}/:environment/agents/:id`,
    action: 'agent.find',
    tag: 'Agents',
    summary: 'Find whose agent it is',
    description:
      'The public API reads an agent only on behalf of its Principal, which this names. ' +
      '`program_id` is null where the agent is in no Program.',
    params: schemas.ofAgent,
    responses: { 200: answers.agentOwner },
    errors: [404],
    handler: findAgent,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/:environment/authorizations/:id`,
    action: 'authorization.find',
    tag: 'Authorizations',
    summary: 'Find whose authorization it is',
    description:
      'The public API reads an authorization only on behalf of its Principal, which this names; ' +
      'nothing else of the payment is shown. `agent_id` is null where the request named only a ' +
      'DID that is not known.',
    params: schemas.ofAuthorization,
    responses: { 200: answers.authorizationOwner },
    errors: [404],
    handler: findAuthorization,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/:environment/authorizations/:id/vi-chain`,
    action: 'vi_chain.read',
    tag: 'Verifiable intent',
    summary: 'Show what user and agent signed',
    description:
      'For a dispute. It has personal credentials, and nothing else shows them. 404 also where ' +
      'the payment came without a `vi_chain`.',
    params: schemas.ofAuthorization,
    responses: { 200: answers.intentEvidence },
    errors: [404],
    handler: getIntentEvidence,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/:environment/fraud-patterns`,
    action: 'fraud_pattern.list',
    tag: 'Fraud patterns',
    summary: 'List the agents that somebody else may have taken over',
    description:
      'What `fraud.pattern.agto_suspected` announced to any Client, newest first. Several agents ' +
      'of one Client within an hour may mean that its keys are known to others.',
    params: schemas.inEnvironment,
    query: schemas.page,
    responses: { 200: answers.fraudPatternPage },
    handler: listFraudPatterns,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/:environment/failing-webhooks`,
    action: 'failing_webhook.list',
    tag: 'Webhooks',
    summary: 'List the webhooks that get no events',
    description:
      'Those that are inactive, whether after ten failures or because their owner wants it, and ' +
      'those whose last deliveries failed. Newest first. Only their owner sees the deliveries.',
    params: schemas.inEnvironment,
    query: schemas.page,
    responses: { 200: answers.failingWebhookPage },
    handler: listFailingWebhooks,
  }),
  operatorRoute({
    method: 'POST',
    path: `${base}/signing-keys/rotate`,
    action: 'signing_key.rotate',
    tag: 'Signing keys',
    summary: 'Sign decisions with the next key',
    description:
      'The next key, which is published already, becomes the active one, and another next key ' +
      'is published. What was signed before stays valid.',
    body: schemas.signingKeyRotation,
    responses: { 200: answers.signingKeys },
    handler: rotateSigningKeys,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/audit-events`,
    action: 'audit.list',
    tag: 'Audit',
    summary: 'List the calls of this interface',
    description: 'Newest first: every call, refused ones and this one included.',
    query: schemas.page,
    responses: { 200: answers.auditPage },
    handler: listAuditEvents,
  }),
];

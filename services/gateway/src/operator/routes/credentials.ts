import * as answers from '../answers.js';
import {
  createCredential,
  listCredentials,
  revoke,
  rotate,
  updateCredential,
} from '../credentials.js';
import { base, type OperatorRoute, operatorRoute } from '../route.js';
import * as schemas from '../schemas.js';

export const credentialRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'POST',
    path: `${base}/clients/:id/credentials`,
    action: 'credential.issue',
    tag: 'Credentials',
    summary: 'Issue a credential',
    description:
      'The secret is shown once: `api_key`, or `client_secret` beside the `oauth_client_id`.',
    params: schemas.ofClient,
    body: schemas.newCredential,
    responses: { 201: answers.issuedCredential },
    errors: [404],
    handler: createCredential,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/clients/:id/credentials`,
    action: 'credential.list',
    tag: 'Credentials',
    summary: 'List the credentials of a Client',
    description: 'Newest first, without secrets; sandbox keys of its Principals are among them.',
    params: schemas.ofClient,
    query: schemas.page,
    responses: { 200: answers.credentialPage },
    errors: [404],
    handler: listCredentials,
  }),
  operatorRoute({
    method: 'POST',
    path: `${base}/credentials/:id/rotate`,
    action: 'credential.rotate',
    tag: 'Credentials',
    summary: 'Replace the secret of a credential',
    description:
      'The former secret stays good for `grace_seconds`. Do not repeat the call if its answer ' +
      'was lost: that ends the former secret, and nobody has the one in between. Issue another ' +
      'credential instead. Access tokens that are already issued are not ended. 409 where the ' +
      'credential is revoked.',
    params: schemas.ofCredential,
    body: schemas.rotation,
    bodyRequired: false,
    responses: { 200: answers.issuedCredential },
    errors: [404, 409],
    handler: rotate,
  }),
  operatorRoute({
    method: 'POST',
    path: `${base}/credentials/:id/revoke`,
    action: 'credential.revoke',
    tag: 'Credentials',
    summary: 'Revoke a credential',
    description: 'For good, and its access tokens with it. Revoking again changes nothing.',
    params: schemas.ofCredential,
    responses: { 200: answers.revocation },
    errors: [404],
    handler: revoke,
  }),
  operatorRoute({
    method: 'PATCH',
    path: `${base}/credentials/:id`,
    action: 'credential.update',
    tag: 'Credentials',
    summary: 'Change what a credential may do',
    description:
      'What is not named stays; at least one field is. Holds on every replica from the answer ' +
      'on, also for access tokens that are already issued. 409 where the credential is revoked.',
    params: schemas.ofCredential,
    body: schemas.credentialChange,
    responses: { 200: answers.credential },
    errors: [404, 409],
    handler: updateCredential,
  }),
];

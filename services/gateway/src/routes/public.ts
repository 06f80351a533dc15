import { getHealth } from '../handlers/get-health.js';
import { getJwks } from '../handlers/get-jwks.js';
import { getLiveness } from '../handlers/get-liveness.js';
import { getPublicKeys } from '../handlers/get-public-keys.js';
import { getReadiness } from '../handlers/get-readiness.js';
import { listReasonCodes } from '../handlers/list-reason-codes.js';
import { oauthToken } from '../handlers/oauth-token.js';
import { type AnyRoute, route } from '../route.js';
import { reasonCatalog } from '../schemas/authorization.js';
import * as schemas from '../schemas/public.js';

/** What anybody may read. */
export const open = {
  method: 'GET',
  plane: 'public',
  scope: null,
  rateGroup: 'none',
  tag: 'Public',
} as const;

const keySetDocumented = {
  errors: [503],
  headers: {
    ETag: 'Of this set; with it in `If-None-Match` the answer is 304 until a key changes.',
    'Cache-Control': '`public, max-age=300`; `no-store` where the keys of the sandbox are missing.',
  },
};

export const publicRoutes: AnyRoute[] = [
  route({
    method: 'POST',
    path: '/api/v1/oauth/token',
    plane: 'token',
    scope: null,
    rateGroup: 'token',
    operation: 'exchangeToken',
    summary: 'Exchange client credentials for a Bearer token',
    tag: 'OAuth',
    responses: { 200: schemas.token },
    handler: oauthToken,
    documented: {
      description:
        'The id and the secret come in the body or by HTTP Basic. 403 from an address outside ' +
        'the list of the credential, 404 where OAuth2 is not enabled for its environment. Ten ' +
        'exchanges a minute for each client id. Wrong secrets count against the network they ' +
        'come from, and leave the client id to its owner.',
      errors: [404],
      body: {
        schema: schemas.tokenRequest,
        contentTypes: ['application/x-www-form-urlencoded', 'application/json'],
      },
    },
  }),
  route({
    ...open,
    path: '/api/v1/health',
    operation: 'getHealth',
    summary: 'Service status, with the state of each dependency',
    responses: { 200: schemas.health, 503: schemas.health },
    handler: getHealth,
  }),
  route({
    ...open,
    path: '/api/v1/health/live',
    operation: 'getLiveness',
    summary: 'Whether the process runs',
    responses: { 200: schemas.live },
    handler: getLiveness,
  }),
  route({
    ...open,
    path: '/api/v1/health/ready',
    operation: 'getReadiness',
    summary: 'Whether this replica takes work',
    responses: { 200: schemas.ready, 503: schemas.ready },
    handler: getReadiness,
  }),
  route({
    ...open,
    path: '/api/v1/.well-known/jwks.json',
    operation: 'getJwks',
    summary: 'Keys that verify decision attestations and access tokens',
    responses: { 200: schemas.jwks, 304: null },
    handler: getJwks,
    documented: keySetDocumented,
  }),
  route({
    ...open,
    path: '/.well-known/jwks.json',
    operation: 'getJwksAlias',
    summary: 'The same keys at the root path',
    responses: { 200: schemas.jwks, 304: null },
    handler: getJwks,
    documented: keySetDocumented,
  }),
  route({
    ...open,
    path: '/api/v1/public-keys',
    operation: 'getPublicKeys',
    summary: 'Keys that sign decisions, with their lifecycle',
    responses: { 200: schemas.publicKeys },
    handler: getPublicKeys,
    documented: { errors: [503] },
  }),
  route({
    ...open,
    path: '/api/v1/reason-codes',
    operation: 'listReasonCodes',
    summary: 'Every reason code, with how to resolve it',
    responses: { 200: reasonCatalog },
    handler: listReasonCodes,
  }),
];

import { Fault } from '@countersign/kernel/fault';
import { z } from 'zod';
import type { Scope } from '../authentication/scopes.js';
import { createSandboxKey } from '../handlers/create-sandbox-key.js';
import { oauthToken } from '../handlers/oauth-token.js';
import type { Plane, RateGroup } from '../request.js';
import { type AnyRoute, type Route, route } from '../route.js';
import { amount } from '../schemas/amount.js';
import { text } from '../schemas/text.js';

interface Given {
  method?: Route['method'];
  path: string;
  plane: Plane;
  scope?: Scope | null;
  rateGroup?: RateGroup;
}

const facts = ({ method = 'GET', path, plane, scope = null, rateGroup = 'read' }: Given) => ({
  method,
  path: `/api/v1${path}`,
  plane,
  scope,
  rateGroup,
  operation: `${method} ${path}`,
  summary: path,
  tag: 'test',
  responses: { 200: null },
});

/** A few rows of each plane that answer with what the checks found out. */
export const testRoutes: readonly AnyRoute[] = [
  route({
    ...facts({ path: '/public', plane: 'public', rateGroup: 'none' }),
    handler: async () => ({ status: 200, body: { ok: true } }),
  }),
  route({
    ...facts({ path: '/broken', plane: 'public', rateGroup: 'none' }),
    handler: async () => {
      throw new Error('secret detail of the inside');
    },
  }),
  route({
    ...facts({ path: '/programs', plane: 'onboarding', scope: 'principals' }),
    handler: async (_, { caller }) => ({ status: 200, body: { caller } }),
  }),
  route<{ principal_id: string }, unknown, undefined>({
    ...facts({
      method: 'POST',
      path: '/principals/:principal_id/sandbox-key',
      plane: 'onboarding',
      scope: 'principals',
      rateGroup: 'write',
    }),
    flatErrors: true,
    handler: createSandboxKey,
  }),
  route({
    ...facts({ method: 'POST', path: '/principals', plane: 'onboarding', scope: 'principals' }),
    flatErrors: true,
    idempotent: true,
    body: z.strictObject({ rule: z.string() }),
    handler: async (_, { body, idempotencyKey }) => {
      if (body.rule === 'keyed') return { status: 201, body: { idempotencyKey } };
      throw new Fault('invalid', { code: body.rule, message: 'A rule of business.' });
    },
  }),
  route({
    ...facts({ path: '/agents', plane: 'runtime', scope: 'agents' }),
    query: z.object({ limit: z.string().optional() }),
    handler: async (_, { tenant, caller }) => ({ status: 200, body: { tenant, caller } }),
  }),
  route({
    ...facts({ path: '/agents/:agent_id', plane: 'runtime', scope: 'agents' }),
    handler: async (_, { params }) => ({ status: 200, body: { params } }),
  }),
  route({
    ...facts({ method: 'POST', path: '/mandates', plane: 'runtime', scope: 'mandates' }),
    rateGroup: 'write',
    body: z.strictObject({
      amount: amount(),
      note: text(20).optional(),
      count: z.int().optional(),
      metadata: z.record(z.string(), z.unknown()).optional(),
      list: z.array(z.strictObject({ name: text(5) })).optional(),
    }),
    handler: async (_, { body, tenant }) => ({ status: 201, body: { body, tenant } }),
  }),
  route({
    ...facts({ method: 'POST', path: '/outcomes', plane: 'runtime', scope: 'outcomes' }),
    rateGroup: 'write',
    allowedWhileUnverified: true,
    handler: async () => ({ status: 201, body: {} }),
  }),
  route({
    ...facts({ method: 'POST', path: '/authorize', plane: 'authorize', scope: 'authorize' }),
    rateGroup: 'authorize',
    body: z.strictObject({ amount: amount() }),
    handler: async (_, request) => ({
      status: 200,
      body: {
        named: request.namedPrincipalId,
        claimed: request.claim?.principalId ?? null,
        sent: request.sentBody,
      },
    }),
  }),
  route({
    ...facts({ path: '/vault', plane: 'runtime' }),
    handler: async () => ({ status: 200, body: {} }),
  }),
  route({
    ...facts({ method: 'POST', path: '/oauth/token', plane: 'token', rateGroup: 'token' }),
    handler: oauthToken,
  }),
];

import { createPrivateKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ChainTerms, newChainKeys } from '@countersign/runtime/testing/chain-terms';
import { autonomousChain, type BuiltChain } from '@countersign/runtime/testing/intent-chain';
import { type ChainKey, signedJwt } from '@countersign/runtime/testing/sd-jwt';
import type { Api } from './api.js';
import { expectStatus, type Installation, newSpender, type Tenant } from './tenant.js';

const published = JSON.parse(
  readFileSync(new URL('../../docs/sandbox-issuer.jwk.json', import.meta.url), 'utf8'),
);

/** Signs as anyone could after reading the documentation. */
const testIssuer: ChainKey = {
  kid: published.jwk.kid,
  jwk: { kty: 'EC', crv: 'P-256', x: published.jwk.x, y: published.jwk.y },
  privateKey: createPrivateKey({ key: published.jwk, format: 'jwk' }),
  thumbprint: '',
};

/** An agent with its own key, and the terms of chains that its user signs for it. */
export interface Delegate {
  principalId: string;
  agentId: string;
  acting: Api;
  terms: Partial<ChainTerms>;
}

export async function newDelegate(stack: Installation, tenant: Tenant): Promise<Delegate> {
  const { acting, principalId } = await newSpender(stack, tenant);
  const keys = { ...newChainKeys(), issuer: testIssuer };
  const agent = expectStatus(
    await acting.post('/api/v1/agents', {
      display_name: 'Delegate',
      capabilities: ['PURCHASE'],
      ...provenKey(stack, principalId, keys.agent),
    }),
    201,
  );
  expectStatus(
    await acting.post('/api/v1/mandates', {
      agent_id: agent.id,
      max_amount_per_transaction: '500.00',
      max_daily_amount: '10000.00',
      valid_until: new Date(Date.now() + 86_400_000).toISOString(),
    }),
    201,
  );
  const { iss: issuer, vct } = published;
  const audience = `${stack.baseUrl}/sandbox`;
  const terms = { keys, issuer, vct, audience, subject: `user-${randomUUID()}` };
  return { principalId, agentId: agent.id, acting, terms };
}

function provenKey({ baseUrl }: Installation, principalId: string, key: ChainKey) {
  const did = `did:web:agents.example.com:${key.thumbprint}`;
  const now = Math.floor(Date.now() / 1_000);
  const payload = {
    ...{ iss: did, sub: did, aud: `${baseUrl}/sandbox`, principal_id: principalId },
    ...{ htm: 'POST', htu: `${baseUrl}/api/v1/agents`, iat: now, exp: now + 300 },
    jti: randomUUID(),
  };
  const header = { typ: 'agent-registration-proof+jwt', alg: 'ES256', jwk: key.jwk };
  const proof = signedJwt({ header, payload, key });
  return { did, public_key_jwk: key.jwk, registration_proof: proof };
}

/** A mandate in which the user allowed several payments. */
export function recurring(max: number, budget: number): object[] {
  const day = (offset: number): string =>
    new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  return [
    { type: 'mandate.payment.amount_range', currency: 'USD', max: 100_000 },
    { type: 'mandate.payment.budget', currency: 'USD', max: budget },
    {
      type: 'mandate.payment.agent_recurrence',
      frequency: 'ON_DEMAND',
      start_date: day(-1),
      end_date: day(10),
      max_occurrences: max,
    },
  ];
}

export function chainOf({ terms }: Delegate, given: Partial<ChainTerms> = {}): BuiltChain {
  return autonomousChain({ ...terms, ...given });
}

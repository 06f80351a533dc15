import { randomUUID } from 'node:crypto';
import { until } from '@countersign/runtime/testing';
import { type Answer, type Api, api } from './api.js';
import { whileBusy } from './retries.js';

/** A separate Client with a Program and keys, so that test files do not see each other's data. */
export interface Tenant {
  clientId: string;
  programId: string;
  apiKey: string;
  /** Uses the Client key. */
  client: Api;
}

export interface Spender {
  principalId: string;
  agentId: string;
  mandateId: string;
  /** Uses the Client key and acts for this Principal. */
  acting: Api;
}

export interface Installation {
  baseUrl: string;
  internalUrl: string;
  adminKey: string;
}

export function operator({ internalUrl, adminKey }: Installation): Api {
  return api(internalUrl, { 'x-admin-key': adminKey });
}

/** Again where a busy machine took so long to ask that the moment had passed. */
export function expireSoon(admin: Api, credentialId: string): Promise<Answer> {
  const path = `/internal/v1/credentials/${credentialId}`;
  return until(async () => {
    const expires_at = new Date(Date.now() + 1_000).toISOString();
    const answer = await admin.call('PATCH', path, { body: { expires_at } });
    return answer.status !== 422 && answer;
  });
}

export async function newTenant(
  installation: Installation,
  environment: 'live' | 'sandbox' = 'sandbox',
  program: Record<string, unknown> = {},
): Promise<Tenant> {
  const admin = operator(installation);
  const make = async (path: string, body: unknown): Promise<Answer['body']> =>
    expectStatus(await whileBusy(() => admin.post(path, body)), 201);
  const client = await make('/internal/v1/clients', { name: `Test ${randomUUID()}` });
  const created = await make(`/internal/v1/clients/${client.id}/programs`, {
    environment,
    name: 'Purchasing',
    rails: ['card', 'crypto'],
    ...program,
  });
  const credential = await make(`/internal/v1/clients/${client.id}/credentials`, {
    environment,
    kind: 'api_key',
  });
  return {
    clientId: client.id,
    programId: created.id,
    apiKey: credential.api_key,
    client: api(installation.baseUrl, { 'x-api-key': credential.api_key }),
  };
}

/** Tests pay much more often than a real agent. */
const asOftenAsItLikes = { velocity_burst_count: 1_000_000 };

/** A Principal, agent and card mandate, with the given or generous limits. Bursts are allowed. */
export async function newSpender(
  installation: Installation,
  tenant: Tenant,
  limits: Record<string, unknown> = {},
): Promise<Spender> {
  const spender = await onboardSpender(installation, tenant, limits);
  const put = { body: asOftenAsItLikes };
  const set = () => spender.acting.call('PUT', '/api/v1/thresholds', put);
  expectStatus(await whileBusy(set), 200);
  return spender;
}

/** The same with the platform's default thresholds, in one call. */
export async function onboardSpender(
  installation: Installation,
  tenant: Tenant,
  limits: Record<string, unknown> = {},
): Promise<Spender> {
  const onboarded = await whileBusy(() =>
    tenant.client.post('/api/v1/onboard', onboardBody(tenant.programId, limits)),
  );
  const created = expectStatus(onboarded, 201);
  return {
    principalId: created.principal.id,
    agentId: created.agent.id,
    mandateId: created.mandate.id,
    acting: api(installation.baseUrl, {
      'x-api-key': tenant.apiKey,
      'x-principal-id': created.principal.id,
    }),
  };
}

export function onboardBody(programId: string, limits: Record<string, unknown> = {}) {
  return {
    principal: {
      principal_kind: 'personal',
      program_ids: [programId],
      profile: { display_name: 'Ada Example', email: 'ada@example.com' },
      verification: {
        type: 'KYC',
        mode: 'client_attested',
        attestation: {
          attested_by: 'compliance@example.com',
          scope: 'identity',
          statement: 'Identity verified in person.',
          evidence_ref: 'case-1',
        },
      },
      client_customer_ref: randomUUID(),
    },
    agent: { name: 'Shopper' },
    mandate: {
      rails: ['card'],
      limits: {
        max_amount_per_transaction: '500.00',
        max_daily_amount: '10000.00',
        currency: 'USD',
        ...limits,
      },
    },
  };
}

export function paymentBody(agentId: string, extra: Record<string, unknown> = {}) {
  return {
    agent_id: agentId,
    amount: '10.00',
    currency: 'USD',
    intent_context: { task_reference: 'TASK-1' },
    merchant_name: 'Corner Shop',
    ...extra,
  };
}

/** The body of a response with the expected status; fails with the whole response otherwise. */
export function expectStatus(answer: Answer, status: number): Answer['body'] {
  if (answer.status !== status) {
    throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  }
  return answer.body;
}

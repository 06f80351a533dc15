import { randomUUID } from 'node:crypto';
import { type Answer, type Api, api } from './api.js';

/** A Client of its own with a Program and keys, so that no test file sees what another made. */
export interface Tenant {
  clientId: string;
  programId: string;
  apiKey: string;
  /** With the Client key. */
  client: Api;
}

export interface Spender {
  principalId: string;
  agentId: string;
  mandateId: string;
  /** With the Client key, acting for this Principal. */
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

export async function newTenant(
  installation: Installation,
  environment: 'live' | 'sandbox' = 'sandbox',
  program: Record<string, unknown> = {},
): Promise<Tenant> {
  const admin = operator(installation);
  const client = expectStatus(
    await admin.post('/internal/v1/clients', { name: `Test ${randomUUID()}` }),
    201,
  );
  const created = expectStatus(
    await admin.post(`/internal/v1/clients/${client.id}/programs`, {
      environment,
      name: 'Purchasing',
      rails: ['card', 'crypto'],
      ...program,
    }),
    201,
  );
  const credential = expectStatus(
    await admin.post(`/internal/v1/clients/${client.id}/credentials`, {
      environment,
      kind: 'api_key',
    }),
    201,
  );
  return {
    clientId: client.id,
    programId: created.id,
    apiKey: credential.api_key,
    client: api(installation.baseUrl, { 'x-api-key': credential.api_key }),
  };
}

/** Principal, agent and card mandate in one call; limits as given, else generous. */
export async function newSpender(
  installation: Installation,
  tenant: Tenant,
  limits: Record<string, unknown> = {},
): Promise<Spender> {
  const body = onboardBody(tenant.programId, limits);
  const created = expectStatus(await tenant.client.post('/api/v1/onboard', body), 201);
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

/** The body of an answer that must have this status; the whole answer in the failure if not. */
export function expectStatus(answer: Answer, status: number): Answer['body'] {
  if (answer.status !== status) {
    throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  }
  return answer.body;
}

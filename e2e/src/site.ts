import { type Api, api } from './api.js';
import {
  expectStatus,
  type Installation,
  newSpender,
  newTenant,
  operator,
  type Tenant,
} from './tenant.js';

export interface Gateways extends Installation {
  gatewayUrls: readonly string[];
}

/**
 * A separate Client, Program, Principal, agent and mandate behind several gateways, so that
 * authority can be withdrawn without affecting others. Replacements are stored in place.
 */
export interface Site {
  tenant: Tenant;
  admin: Api;
  principalId: string;
  agentId: string;
  mandateId: string;
  credentialId: string;
  /** Clients acting for the Principal, one per gateway. */
  doors: readonly Api[];
  gatewayUrls: readonly string[];
}

/**
 * With these thresholds neither scores nor bursts decline or require a human: only authority
 * decides.
 */
export const trusting = {
  velocity_burst_count: 1_000_000,
  authorize_min_kya_score: 0,
  authorize_step_up_threshold: 0.01,
  cognitive_multiplier_red: 1,
  cognitive_multiplier_critical: 1,
  risk_score_step_up: 0.99,
  risk_score_hard_decline: 1,
  intent_anomaly_step_up: 1,
  intent_anomaly_decline: 1,
};

/** Far more than any test spends. */
const plenty = { max_amount_per_transaction: '1000.00', max_daily_amount: '100000000.00' };

export async function newSite(on: Gateways): Promise<Site> {
  const tenant = await newTenant(on);
  const { principalId, agentId, mandateId } = await newSpender(on, tenant, plenty);
  const { gatewayUrls } = on;
  const admin = operator(on);
  const ids = { principalId, agentId, mandateId, credentialId: '' };
  const site: Site = { tenant, admin, ...ids, doors: [], gatewayUrls };
  await issueKey(site);
  const put = { body: trusting };
  expectStatus(await doorOf(site, 0).call('PUT', '/api/v1/thresholds', put), 200);
  return site;
}

/** A separate credential, so that its revocation only affects this site. */
export async function issueKey(site: Site): Promise<void> {
  const issued = await issue(site, 'api_key');
  openDoors(site, issued.id, { 'x-api-key': issued.api_key });
}

export async function issueToken(site: Site): Promise<void> {
  const issued = await issue(site, 'oauth_client');
  const exchange = {
    grant_type: 'client_credentials',
    client_id: issued.oauth_client_id,
    client_secret: issued.client_secret,
  };
  const answer = await site.tenant.client.post('/api/v1/oauth/token', exchange);
  const { access_token: token } = expectStatus(answer, 200);
  openDoors(site, issued.id, { authorization: `Bearer ${token}` });
}

async function issue({ admin, tenant }: Site, kind: 'api_key' | 'oauth_client') {
  const path = `/internal/v1/clients/${tenant.clientId}/credentials`;
  return expectStatus(await admin.post(path, { environment: 'sandbox', kind }), 201);
}

function openDoors(site: Site, credentialId: string, credential: Record<string, string>) {
  const headers = { ...credential, 'x-principal-id': site.principalId };
  site.credentialId = credentialId;
  site.doors = site.gatewayUrls.map((url) => api(url, headers));
}

/** The client for a gateway; counts on beyond the last of them. */
export function doorOf({ doors }: { doors: readonly Api[] }, index: number): Api {
  const door = doors[index % doors.length];
  if (!door) throw new Error('there is no gateway');
  return door;
}

/** A new agent with the same mandate as the first. */
export async function newAgent(site: Site): Promise<void> {
  const { client } = site.tenant;
  const agents = `/api/v1/principals/${site.principalId}/agents`;
  const agent = expectStatus(await client.post(agents, { name: 'Shopper' }), 201);
  const mandate = await client.post(`/api/v1/agents/${agent.id}/mandates`, {
    rails: ['card'],
    limits: { ...plenty, currency: 'USD' },
  });
  site.agentId = agent.id;
  site.mandateId = expectStatus(mandate, 201).id;
}

/** On the runtime plane, through a given gateway. */
export function grantMandate({ agentId }: Site, door: Api, limits: Record<string, unknown> = {}) {
  return door.post('/api/v1/mandates', {
    agent_id: agentId,
    valid_until: new Date(Date.now() + 86_400_000).toISOString(),
    ...plenty,
    ...limits,
  });
}

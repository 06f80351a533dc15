import type { Answer, Api } from './api.js';
import { doorOf, grantMandate, issueKey, issueToken, newAgent, type Site } from './site.js';
import { expectStatus } from './tenant.js';

/** One way to withdraw authority, and to restore it for the next round. */
export interface Withdrawal {
  name: string;
  /** Creates what the withdrawal needs. */
  prepare?(site: Site): Promise<void>;
  /** Through the given gateway, unless it is an operator call. Both may be repeated after a 503. */
  take(site: Site, door: Api): Promise<Answer>;
  restore(site: Site): Promise<void>;
  /** How later payments are refused: the reason code, or the status of an authentication error. */
  refusal: string | number;
  /** The entity whose version the ledger checks; null if the ledger does not know of it. */
  fenced: ((site: Site) => string) | null;
}

const noDoor = 401;
const elsewhere = '203.0.113.7/32';

function setAgent(site: Site, door: Api, status: string): Promise<Answer> {
  const body = { status, reason: 'A race' };
  return door.call('PATCH', `/api/v1/agents/${site.agentId}/status`, { body });
}

function setPrincipal({ admin, principalId }: Site, body: object): Promise<Answer> {
  return admin.call('PATCH', `/internal/v1/sandbox/principals/${principalId}`, { body });
}

function setProgram({ admin, tenant }: Site, body: object): Promise<Answer> {
  const path = `/internal/v1/sandbox/programs/${tenant.programId}`;
  return admin.call('PATCH', path, { body });
}

function setCredential({ admin, credentialId }: Site, body: object): Promise<Answer> {
  return admin.call('PATCH', `/internal/v1/credentials/${credentialId}`, { body });
}

function setClient({ admin, tenant }: Site, status: string): Promise<Answer> {
  return admin.call('PATCH', `/internal/v1/clients/${tenant.clientId}`, { body: { status } });
}

function setThreshold(door: Api, amount: string | null): Promise<Answer> {
  return door.call('PUT', '/api/v1/thresholds', { body: { step_up_amount_threshold: amount } });
}

function revokeCredential({ admin, credentialId }: Site): Promise<Answer> {
  return admin.post(`/internal/v1/credentials/${credentialId}/revoke`);
}

async function done(answer: Promise<Answer>): Promise<void> {
  expectStatus(await answer, 200);
}

/** Withdrawals whose effect must show in the ledger's commit order. */
export const fencedWithdrawals: readonly Withdrawal[] = [
  {
    name: 'mandate revoked',
    take: ({ mandateId }, door) => door.call('DELETE', `/api/v1/mandates/${mandateId}`),
    restore: async (site) => {
      site.mandateId = expectStatus(await grantMandate(site, doorOf(site, 0)), 201).id;
      await dropOtherMandates(site);
    },
    refusal: 'NO_ACTIVE_MANDATE',
    fenced: ({ mandateId }) => mandateId,
  },
  {
    name: 'agent suspended',
    take: (site, door) => setAgent(site, door, 'SUSPENDED'),
    restore: (site) => done(setAgent(site, doorOf(site, 0), 'ACTIVE')),
    refusal: 'AGENT_SUSPENDED',
    fenced: ({ agentId }) => agentId,
  },
  {
    name: 'agent revoked',
    take: (site, door) => setAgent(site, door, 'REVOKED'),
    restore: newAgent,
    refusal: 'AGENT_REVOKED',
    fenced: ({ agentId }) => agentId,
  },
  {
    name: 'verification failed',
    take: (site) => setPrincipal(site, { verification_status: 'FAILED' }),
    restore: (site) => done(setPrincipal(site, { verification_status: 'VERIFIED' })),
    refusal: 'PRINCIPAL_NOT_VERIFIED',
    fenced: ({ principalId }) => principalId,
  },
  {
    name: 'principal prohibited',
    take: (site) => setPrincipal(site, { risk_tier: 'PROHIBITED' }),
    restore: (site) => done(setPrincipal(site, { risk_tier: 'LOW' })),
    refusal: 'PRINCIPAL_PROHIBITED',
    fenced: ({ principalId }) => principalId,
  },
  {
    name: 'program paused',
    take: (site) => setProgram(site, { status: 'PAUSED' }),
    restore: (site) => done(setProgram(site, { status: 'ACTIVE' })),
    refusal: 'PROGRAM_SUSPENDED',
    fenced: ({ tenant }) => tenant.programId,
  },
  {
    name: 'rail taken from the program',
    take: (site) => setProgram(site, { rails: ['crypto'] }),
    restore: (site) => done(setProgram(site, { rails: ['card', 'crypto'] })),
    refusal: 'NO_ACTIVE_MANDATE',
    fenced: ({ tenant }) => tenant.programId,
  },
  {
    name: 'smaller mandate',
    take: async (site, door) => {
      const answer = await grantMandate(site, door, { max_amount_per_transaction: '1.00' });
      return answer.status === 201 ? { ...answer, status: 200 } : answer;
    },
    restore: dropOtherMandates,
    refusal: 'AMOUNT_EXCEEDS_PER_TXN',
    fenced: ({ agentId }) => agentId,
  },
];

/** Mandates left over from the round, and a grant that took effect although it was answered 503. */
async function dropOtherMandates(site: Site): Promise<void> {
  const door = doorOf(site, 0);
  const path = `/api/v1/mandates/agent/${site.agentId}?status=ACTIVE`;
  const { mandates } = expectStatus(await door.get(path), 200);
  for (const { id } of mandates as Array<{ id: string }>) {
    if (id !== site.mandateId) await done(door.call('DELETE', `/api/v1/mandates/${id}`));
  }
}

/** Withdrawals enforced by authentication, or by the facts of the decision. */
export const otherWithdrawals: readonly Withdrawal[] = [
  {
    name: 'threshold lowered',
    take: (_, door) => setThreshold(door, '5.00'),
    restore: (site) => done(setThreshold(doorOf(site, 0), null)),
    // After five pending challenges further payments are declined; both show that it holds.
    refusal: 'AMOUNT_STEP_UP',
    fenced: null,
  },
  {
    name: 'key revoked',
    take: revokeCredential,
    restore: issueKey,
    refusal: noDoor,
    fenced: null,
  },
  {
    name: 'key rotated without grace',
    take: ({ admin, credentialId }) =>
      admin.post(`/internal/v1/credentials/${credentialId}/rotate`, { grace_seconds: 0 }),
    restore: issueKey,
    refusal: noDoor,
    fenced: null,
  },
  {
    name: 'credential of a token revoked',
    prepare: issueToken,
    take: revokeCredential,
    restore: issueKey,
    refusal: noDoor,
    fenced: null,
  },
  {
    name: 'scope narrowed',
    take: (site) => setCredential(site, { scopes: 'agents,mandates,thresholds' }),
    restore: (site) => done(setCredential(site, { scopes: '' })),
    refusal: 403,
    fenced: null,
  },
  {
    name: 'scope of a token narrowed',
    prepare: issueToken,
    take: (site) => setCredential(site, { scopes: 'agents,mandates,thresholds' }),
    restore: issueKey,
    refusal: 403,
    fenced: null,
  },
  {
    name: 'addresses narrowed',
    take: (site) => setCredential(site, { ip_allowlist: [elsewhere] }),
    restore: (site) => done(setCredential(site, { ip_allowlist: [] })),
    refusal: 403,
    fenced: null,
  },
  {
    name: 'client suspended',
    take: (site) => setClient(site, 'SUSPENDED'),
    restore: (site) => done(setClient(site, 'ACTIVE')),
    refusal: noDoor,
    fenced: null,
  },
];

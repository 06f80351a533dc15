import { newId } from '@countersign/kernel/id';
import { t as file, test } from 'tap';
import * as samples from './samples.js';
import { Surface } from './surface.js';

const surface = await Surface.start();
file.teardown(() => surface.close());
const { services, clientId, principalId, liveKey } = surface;

test('onboarding: each call reaches identity with the Client and new ids', async (t) => {
  const principal = samples.principalRecord({ id: principalId, clientId });
  services.on('RegisterPrincipal', () => principal);
  services.on('GetPrincipal', () => principal);
  services.on('EnrollPrincipal', () => principal);
  services.on('CreateAgent', (request) => samples.agentRecord({ id: request.id }));
  services.on('CreateMandate', (request) => samples.mandateRecord({ id: request.id }));
  services.on('Onboard', ({ agent, mandate }) => ({
    principal: { ...principal, verificationMode: 'platform_provider' },
    agent: samples.agentRecord({ id: agent.id }),
    mandate: samples.mandateRecord({ id: mandate.id }),
  }));
  const registration = {
    principal_kind: 'personal',
    program_ids: ['prg_1', 'prg_1'],
    profile: { display_name: 'Ada', email: 'ada@example.com', phone: '+14155550123' },
    verification: { type: 'KYC', mode: 'platform_provider' },
    step_up: { method: 'sms' },
    metadata: { a: 1 },
  };
  const grant = {
    rails: ['card', 'crypto'],
    limits: { max_amount_per_transaction: '10.50', max_daily_amount: 20 },
    crypto: { chains: ['base'], assets: ['USDC'], max_transfer: '5' },
    allowed_mccs: ['5411'],
    max_daily_count: 3,
  };
  await surface.call(t, '/principals', { body: registration, is: [201, 'registerPrincipal'] });
  t.match(surface.asked('RegisterPrincipal'), {
    clientId,
    principalKind: 'personal',
    programIds: ['prg_1'],
    profile: { displayName: 'Ada', email: 'ada@example.com', phone: '+14155550123' },
    stepUp: { method: 'sms', phone: undefined },
    metadataJson: '{"a":1}',
  });
  const both = { principal: registration, agent: { name: 'A' }, mandate: grant };
  await surface.call(t, '/onboard', { body: both, is: [202, 'onboard'] });
  const onboarded = surface.asked('Onboard');
  t.equal(onboarded.agent.principalId, onboarded.principal.id);
  t.equal(onboarded.mandate.agentId, onboarded.agent.id);
  t.has(onboarded.mandate, {
    rails: ['card', 'crypto'],
    currency: '',
    maxAmountPerTransaction: '10.5',
    maxDailyAmount: '20',
    maxDailyCount: 3,
    crypto: { chains: ['base'], assets: ['USDC'], maxTransfer: '5' },
  });
  await surface.call(t, `/principals/${principalId}/programs`, {
    body: { program_id: 'prg_1' },
    is: [200, 'enrollPrincipal'],
  });
  const agent = { name: 'A', program_id: 'prg_1', external_agent_ref: 'x', metadata: {} };
  await surface.call(t, `/principals/${principalId}/agents`, {
    body: agent,
    is: [201, 'addAgent'],
  });
  t.match(surface.asked('CreateAgent'), {
    clientId,
    principalId,
    name: 'A',
    capabilities: ['PURCHASE'],
    programId: 'prg_1',
    programOptional: false,
  });
  await surface.call(t, '/agents/agt_1/mandates', { body: grant, is: [201, 'grantMandate'] });
  t.has(surface.asked('CreateMandate'), { clientId, agentId: 'agt_1', allowedMccs: ['5411'] });
  t.equal(surface.asked('CreateMandate').principalId, undefined);
});

test('a sandbox key acts at once, and is never made in live', async (t) => {
  services.on('GetPrincipal', () => samples.principalRecord({ id: principalId, clientId }));
  const minted = await surface.call(t, `/principals/${principalId}/sandbox-key`, {
    method: 'POST',
    is: [201, 'createSandboxKey'],
  });
  services.on('GetAgent', () => samples.agentRecord());
  services.on('GetAgentProfiles', () => ({ profiles: [] }));
  const own = await surface.send('/agents/agt_1', { key: minted.json.api_key });
  t.equal(own.status, 200, 'the key acts for its Principal at once');
  for (const [path, sent] of [
    [`/principals/${principalId}/sandbox-key`, undefined],
    [`/principals/${principalId}/verification/simulate`, { result: 'VERIFIED' }],
  ] as const) {
    const live = await surface.send(path, { method: 'POST', key: liveKey, body: sent });
    t.equal(live.status, 403);
    t.equal(live.json.error, 'sandbox_only');
  }
});

test('a Principal of many agents is listed whole, up to the bound that is told', async (t) => {
  const path = `/principals/${principalId}/agents`;
  const kept = Array.from({ length: 10_001 }, () => samples.agentRecord());
  for (const size of [1, 500, 501, 1_001, 10_000, 10_001]) {
    services.forget();
    services.on('ListPrincipalAgents', ({ page }) => {
      const start = kept.findIndex(({ id }) => id === page.after?.id) + 1;
      const end = Math.min(start + page.limit, size);
      return { agents: kept.slice(start, end), total: size, hasMore: end < size };
    });
    services.on('GetAgentProfiles', ({ agentIds }: { agentIds: string[] }) => {
      if (agentIds.length > 500) throw new Error('decision answers for 500 at most');
      return { profiles: agentIds.map((agentId) => ({ agentId, kyaScore: 0.7 })) };
    });
    const listed = await surface.call(t, path, { is: [200, 'listPrincipalAgents'] });
    t.equal(listed.json.count, size, 'of all');
    t.same(
      listed.json.agents.map(({ id }: { id: string }) => id),
      kept.slice(0, Math.min(size, 10_000)).map(({ id }) => id),
    );
    t.ok(listed.json.agents.every(({ kya_score }: { kya_score: number }) => kya_score === 0.7));
    t.ok(services.requests('ListPrincipalAgents').every(({ page }) => page.limit <= 500));
  }
});

test('onboarding reads, and a verification that is simulated', async (t) => {
  const agents = [samples.agentRecord(), samples.agentRecord()];
  services.on('ListPrincipalAgents', () => ({ agents, total: 2 }));
  services.on('GetAgentProfiles', () => ({
    profiles: [{ agentId: agents[0]?.id, kyaScore: 0.7, totalTransactions: 3, declineRate: 0.5 }],
  }));
  const listed = await surface.call(t, `/principals/${principalId}/agents`, {
    is: [200, 'listPrincipalAgents'],
  });
  t.equal(listed.json.count, 2);
  t.same(
    listed.json.agents.map((each: { kya_score: number }) => each.kya_score),
    [0.7, null],
  );
  const pending = samples.principalRecord({ verificationStatus: 'PENDING' });
  services.on('GetPrincipal', () => pending);
  services.on('UpdatePrincipal', () => ({ ...pending, verificationStatus: 'VERIFIED' }));
  const path = `/principals/${principalId}/verification/simulate`;
  const verified = { result: 'VERIFIED' };
  const simulated = await surface.call(t, path, {
    body: verified,
    is: [200, 'simulateVerification'],
  });
  t.same(simulated.json.agents, listed.json.agents);
  t.match(surface.asked('UpdatePrincipal'), { clientId, verificationStatus: 'VERIFIED' });
  services.on('GetPrincipal', () => samples.principalRecord());
  const again = await surface.send(path, { body: verified });
  t.equal(again.json.error, 'verification_not_pending');

  await surface.call(t, `/principals/${principalId}`, { is: [200, 'getPrincipal'] });
  const other = await surface.send(`/principals/${newId('principal')}`);
  t.equal(other.status, 403);
  t.equal(other.json.error.code, 'TENANT_MISMATCH');
  const program = {
    id: newId('program'),
    clientId,
    name: 'Everyday',
    status: 'ACTIVE',
    rails: ['card'],
    verificationMode: 'any',
    defaultCurrency: 'USD',
    createdAt: samples.at,
    updatedAt: samples.at,
  };
  services.on('GetProgram', () => program);
  services.on('ListPrograms', () => ({ programs: [program], hasMore: true }));
  await surface.call(t, `/programs/${program.id}`, { is: [200, 'getProgram'] });
  const page = await surface.call(t, '/programs?limit=1', { is: [200, 'listPrograms'] });
  const cursor = page.json.pagination.next_cursor;
  await surface.call(t, `/programs?limit=1&cursor=${cursor}`, { is: [200, 'listPrograms'] });
  t.match(surface.asked('ListPrograms'), { page: { limit: 1, after: { id: program.id } } });
});

test('every operation of these chapters was called', async (t) => {
  t.same(surface.uncalled('Onboarding'), []);
});

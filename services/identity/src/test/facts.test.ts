import { newId } from '@countersign/kernel/id';
import root, { test } from 'tap';
import { listFields } from '../mandate/terms.js';
import { spendingFacts } from '../sql.js';
import { agentRequest, createAgentFixture, mandateRequest, principalRequest } from './fixtures.js';
import { startIdentity } from './harness.js';

const running = await startIdentity(root);
const { call, context, clock } = running;

// One client with one principal, one with two, and an unrelated client.
const only = await createAgentFixture(call);
const first = await createAgentFixture(call);
const secondPrincipal = await call.RegisterPrincipal(
  principalRequest(first.clientId, [first.programId]),
);
const second = await call.CreateAgent(agentRequest(first.clientId, secondPrincipal.id));
const otherClient = await createAgentFixture(call);
const nobody = newId('client');

interface Ask {
  clientId: string;
  principalId?: string;
  agentId?: string;
  agentDid?: string;
}

const cases: Array<[string, Ask, { acting?: string; agent?: string }]> = [
  [
    'no header, one principal, its agent',
    { clientId: only.clientId, agentId: only.agentId },
    { acting: only.principalId, agent: only.agentId },
  ],
  [
    'no header, one principal, agent of another client',
    { clientId: only.clientId, agentId: otherClient.agentId },
    { acting: only.principalId },
  ],
  [
    'no header, one principal, no such agent',
    { clientId: only.clientId, agentId: newId('agent') },
    { acting: only.principalId },
  ],
  [
    'no header, several principals: the owner of the agent',
    { clientId: first.clientId, agentId: first.agentId },
    { acting: first.principalId, agent: first.agentId },
  ],
  [
    'no header, several principals: the owner of the other agent',
    { clientId: first.clientId, agentId: second.id },
    { acting: secondPrincipal.id, agent: second.id },
  ],
  [
    'no header, several principals, agent of another client',
    { clientId: first.clientId, agentId: otherClient.agentId },
    {},
  ],
  [
    'no header, several principals, no such agent',
    { clientId: first.clientId, agentId: newId('agent') },
    {},
  ],
  [
    'header, its own agent',
    { clientId: first.clientId, principalId: first.principalId, agentId: first.agentId },
    { acting: first.principalId, agent: first.agentId },
  ],
  [
    "header, a sibling's agent",
    { clientId: first.clientId, principalId: first.principalId, agentId: second.id },
    { acting: first.principalId },
  ],
  [
    'header, agent of another client',
    { clientId: first.clientId, principalId: first.principalId, agentId: otherClient.agentId },
    { acting: first.principalId },
  ],
  [
    "header names another client's principal",
    { clientId: first.clientId, principalId: otherClient.principalId, agentId: first.agentId },
    {},
  ],
  [
    "header names another client's principal, client has one",
    { clientId: only.clientId, principalId: otherClient.principalId, agentId: only.agentId },
    {},
  ],
  ['client without principals', { clientId: nobody, agentId: only.agentId }, {}],
  [
    'by DID',
    { clientId: first.clientId, agentDid: first.did },
    { acting: first.principalId, agent: first.agentId },
  ],
  [
    "by the DID of another client's agent",
    { clientId: only.clientId, agentDid: otherClient.did },
    { acting: only.principalId },
  ],
  [
    "by a sibling's DID, with header",
    { clientId: first.clientId, principalId: first.principalId, agentDid: second.did },
    { acting: first.principalId },
  ],
  [
    'id and DID of one agent',
    { clientId: first.clientId, agentId: first.agentId, agentDid: first.did },
    { acting: first.principalId, agent: first.agentId },
  ],
  [
    'id and DID of two agents',
    { clientId: first.clientId, agentId: first.agentId, agentDid: second.did },
    {},
  ],
  [
    'id and DID of two agents, one principal',
    { clientId: only.clientId, agentId: only.agentId, agentDid: otherClient.did },
    { acting: only.principalId },
  ],
  ['neither id nor DID', { clientId: only.clientId }, { acting: only.principalId }],
];

test('the acting principal is resolved, and only its own agents are returned', async (t) => {
  for (const [what, ask, expected] of cases) {
    const facts = await call.GetSpendingFacts(ask);
    t.equal(facts.actingPrincipalId, expected.acting, `${what}: acting`);
    t.equal(facts.agent?.id, expected.agent, `${what}: agent`);
    const owner = expected.agent ? expected.acting : undefined;
    t.equal(facts.principal?.id, owner, `${what}: principal`);
    t.equal(facts.program === null || facts.program === undefined, !expected.agent, what);
    if (!expected.agent) t.same(facts.mandates, [], `${what}: no mandates`);
  }
});

test('the facts are complete and current, and contain no personal data', async (t) => {
  const { clientId, agentId, principalId, programId, mandateId } = await createAgentFixture(call);
  const facts = await call.GetSpendingFacts({ clientId, agentId });
  const principal = await call.GetPrincipal({ id: principalId, clientId });
  t.equal(principal.profile?.email, 'ada@example.com');
  t.match(principal, facts.principal ?? 'none');
  t.notOk('profile' in (facts.principal ?? {}));
  t.match(await call.GetProgram({ id: programId, clientId }), facts.program ?? 'none');
  const tenant = { clientId, principalId };
  const { viCapable, ...agent } = facts.agent ?? {};
  t.equal(viCapable, false, 'it has no key');
  t.match(await call.GetAgent({ tenant, id: agentId }), { id: agentId, ...agent });
  t.same(facts.mandates, [await call.GetMandate({ tenant, id: mandateId })]);
});

test('a decision reads every term of a mandate', async (t) => {
  const { clientId, agentId, principalId } = await createAgentFixture(call);
  const lists = Object.fromEntries(listFields.map((field, at) => [field, [`of ${at}`]]));
  const { id } = await call.CreateMandate({
    ...mandateRequest(clientId, agentId, lists),
    rails: ['card', 'crypto'],
    crypto: { chains: lists.allowedChains, assets: lists.allowedAssets, maxTransfer: '25.5' },
    maxMonthlyAmount: '900',
    maxDailyCount: 3,
    maxMonthlyCount: 30,
  });
  const [newest] = (await call.GetSpendingFacts({ clientId, agentId })).mandates;
  t.same(newest, await call.GetMandate({ tenant: { clientId, principalId }, id }));
  t.match(newest, { ...lists, maxDailyCount: 3, maxMonthlyCount: 30 });
});

test('changes of the program are visible at once and increment its version', async (t) => {
  const { clientId, agentId, programId } = await createAgentFixture(call);
  const program = async () => (await call.GetSpendingFacts({ clientId, agentId })).program;
  const initial = { fraudTriageEnabled: false, rails: ['card', 'crypto'], version: 1 };
  t.match(await program(), initial);
  await call.UpdateProgram({ id: programId, fraudTriageEnabled: true });
  t.match(await program(), { ...initial, fraudTriageEnabled: true, version: 2 });
  await call.UpdateProgram({ id: programId, rails: ['crypto'] });
  t.match(await program(), { fraudTriageEnabled: true, rails: ['crypto'], version: 3 });
});

test('validity times are exact, also before 1970', async (t) => {
  const { clientId, agentId, principalId } = await createAgentFixture(call);
  const tenant = { clientId, principalId };
  for (const validFrom of ['0040-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z']) {
    const times = { validFrom, validUntil: new Date(Date.now() + 86_400_000).toISOString() };
    const { id } = await call.CreateMandate({ ...mandateRequest(clientId, agentId), ...times });
    const [newest] = (await call.GetSpendingFacts({ clientId, agentId })).mandates;
    t.equal(newest?.validFrom, validFrom);
    t.same(newest, await call.GetMandate({ tenant, id }));
  }
});

test('the verification status of the principal expires without being written', async (t) => {
  const clientId = newId('client');
  const program = await call.CreateProgram({
    id: newId('program'),
    clientId,
    name: 'P',
    rails: ['card'],
  });
  const principal = await call.RegisterPrincipal(
    principalRequest(clientId, [program.id], {
      verification: { type: 'KYB', mode: 'platform_provider' },
    }),
  );
  const agent = await call.CreateAgent(agentRequest(clientId, principal.id));
  const read = async () => {
    const facts = await call.GetSpendingFacts({ clientId, agentId: agent.id });
    const acting = await call.ResolveActingPrincipal({ clientId });
    t.equal(acting.verificationStatus, facts.principal?.verificationStatus);
    return facts.principal?.verificationStatus;
  };
  t.equal(await read(), 'PENDING');
  clock.offsetMs = 25 * 3_600_000;
  t.teardown(() => {
    clock.offsetMs = 0;
  });
  t.equal(await read(), 'EXPIRED');
  await call.UpdatePrincipal({ id: principal.id, verificationStatus: 'VERIFIED' });
  t.equal(await read(), 'VERIFIED');
});

test('a DID that was reused after a revocation resolves to the active agent', async (t) => {
  const did = 'did:web:reborn.example.com';
  const { clientId, principalId } = await createAgentFixture(call);
  const make = () => call.CreateAgent(agentRequest(clientId, principalId, { did }));
  const revoke = (id: string) =>
    call.UpdateAgentStatus({
      tenant: { clientId, principalId },
      id,
      status: 'REVOKED',
      reason: 'renewed',
    });
  const old = await make();
  await revoke(old.id);
  const byDid = async () => (await call.GetSpendingFacts({ clientId, agentDid: did })).agent;
  t.match(await byDid(), { id: old.id, status: 'REVOKED' }, 'reported as revoked, not as unknown');
  // By a replica whose clock is behind that of the one which made the old agent.
  clock.offsetMs = -3_600_000;
  t.teardown(() => {
    clock.offsetMs = 0;
  });
  const reborn = await make();
  t.equal((await byDid())?.id, reborn.id);
  await revoke(reborn.id);
  clock.offsetMs = 60_000;
  const last = await make();
  await revoke(last.id);
  t.equal((await byDid())?.id, last.id, 'else to the latest of those that were revoked');
});

test('the acting principal is the named one, else the only one of the client', async (t) => {
  const resolve = (clientId: string, principalId?: string) =>
    call.ResolveActingPrincipal({ clientId, principalId });
  const found = { outcome: 'found', verificationStatus: 'VERIFIED' };
  t.match(await resolve(only.clientId), { ...found, principalId: only.principalId });
  t.match(await resolve(first.clientId), { outcome: 'several' });
  t.match(await resolve(nobody), { outcome: 'none' });
  t.match(await resolve(first.clientId, secondPrincipal.id), {
    ...found,
    principalId: secondPrincipal.id,
  });
  t.match(await resolve(first.clientId, otherClient.principalId), { outcome: 'not_found' });
  t.match(await resolve(first.clientId, newId('principal')), { outcome: 'not_found' });
});

test('the facts of one environment are unknown in the other', async (t) => {
  const live = await running.in('live').GetSpendingFacts({
    clientId: only.clientId,
    agentId: only.agentId,
  });
  t.equal(live.agent ?? undefined, undefined);
  t.equal(live.actingPrincipalId, undefined);
});

test('the statements can be executed with index scans only', async (t) => {
  const { pool } = context.stores.sandbox;
  const client = await pool.connect();
  try {
    await client.query('SET enable_seqscan = off');
    for (const [{ text }, id, did] of [
      [spendingFacts.byId, only.agentId, null],
      [spendingFacts.byDid, null, only.did],
    ] as const) {
      const { rows } = await client.query(`EXPLAIN ${text}`, [
        [only.clientId],
        [null],
        [id],
        [did],
      ]);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      t.notMatch(plan, /Seq Scan/);
      t.match(plan, /Index Scan (Backward )?using mandates_agent_id_ordinal_(active_idx|key)/);
    }
  } finally {
    client.release(true);
  }
});

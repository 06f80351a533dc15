import { newId } from '@countersign/kernel/id';
import { inTransaction } from '@countersign/runtime/database';
import root, { test } from 'tap';
import { agentRequest, createAgentFixture, mandateRequest, principalRequest } from './fixtures.js';
import { baseUrl, refusalOf, startIdentity } from './harness.js';
import { makeKey, makeProof, p256Vector } from './proofs.js';

const running = await startIdentity(root);
const { call, context } = running;
const fixture = await createAgentFixture(call);
const { clientId, principalId, programId } = fixture;
const tenant = { clientId, principalId };
const sibling = await call.RegisterPrincipal(principalRequest(clientId, [programId]));
const siblingTenant = { clientId, principalId: sibling.id };
const strangerTenant = { clientId: newId('client'), principalId };

const create = (given = {}, owner = principalId) =>
  call.CreateAgent(agentRequest(clientId, owner, { programOptional: true, ...given }));
const setStatus = (id: string, status: string, as = tenant) =>
  call.UpdateAgentStatus({ tenant: as, id, status, reason: 'because' });

const keyOf = (id: string) =>
  context.stores.sandbox.prisma.agent.findUniqueOrThrow({ where: { id } });

test('an agent created without a key gets a new did:key and no public key', async (t) => {
  const agent = await create({ capabilities: ['TRANSFER', 'PURCHASE', 'TRANSFER'] });
  t.match(agent, {
    didMethod: 'key',
    status: 'ACTIVE',
    trustLevel: 'REGISTERED',
    capabilities: ['TRANSFER', 'PURCHASE'],
    version: 1,
  });
  t.match(await keyOf(agent.id), { publicKeyJwkJson: null, keyThumbprint: null, viCapable: false });
  t.same(await call.GetAgent({ tenant, id: agent.id }), agent);
  t.match(await refusalOf(create({ capabilities: ['STEAL'] })), /capabilities:invalid_value/);
});

test('creation is idempotent by id, also concurrently, and only for one principal', async (t) => {
  const request = agentRequest(clientId, principalId);
  const [one, two] = await Promise.all([call.CreateAgent(request), call.CreateAgent(request)]);
  t.same(one, two);
  t.same(await call.CreateAgent(request), one);
  t.equal(
    await refusalOf(call.CreateAgent({ ...request, principalId: sibling.id })),
    'conflict CONFLICT',
  );
});

test('only one agent that is not revoked has a given DID, also under concurrency', async (t) => {
  const did = 'did:web:agents.example.com';
  const results = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      refusalOf(create({ did }, i % 2 ? sibling.id : principalId)),
    ),
  );
  t.equal(results.filter((result) => result === 'answered').length, 1);
  t.equal(results.filter((result) => result === 'conflict CONFLICT').length, 5);
  const holder = await context.stores.sandbox.prisma.agent.findFirstOrThrow({ where: { did } });
  const owner = { clientId, principalId: holder.principalId };
  await setStatus(holder.id, 'SUSPENDED', owner);
  t.equal(await refusalOf(create({ did })), 'conflict CONFLICT', 'a suspended agent keeps it');
  await setStatus(holder.id, 'REVOKED', owner);
  t.match(await create({ did }), { did, didMethod: 'web' }, 'a revoked agent releases it');
  t.equal(
    await refusalOf(create({ did: 'did:key:z6Mk' })),
    'invalid VALIDATION_ERROR did:invalid_did',
  );
});

test('the DID is derived from a proven key, and a proof is accepted once', async (t) => {
  const key = await makeKey('ES256');
  const registrationProof = await makeProof(key, {
    principalId,
    audience: `${baseUrl}/sandbox`,
    nowMs: Date.now(),
  });
  const given = { publicKeyJwkJson: JSON.stringify({ ...key.jwk, use: 'sig' }), registrationProof };
  const agent = await create(given);
  t.equal(agent.did, key.did);
  t.same(JSON.parse((await keyOf(agent.id)).publicKeyJwkJson ?? ''), key.jwk);
  const query = { clientId, agentId: agent.id };
  t.match((await running.in('sandbox').GetSpendingFacts(query)).agent, {
    keyThumbprint: key.thumbprint,
    viCapable: true,
  });
  await setStatus(agent.id, 'REVOKED');
  t.equal(
    await refusalOf(create(given)),
    'invalid VALIDATION_ERROR registration_proof:replayed',
    'the DID is available again, but the proof has been used',
  );
  t.equal(
    await refusalOf(create(given, sibling.id)),
    'invalid VALIDATION_ERROR registration_proof:principal_mismatch',
  );
});

test('of several concurrent uses of one proof, one succeeds', async (t) => {
  const key = await makeKey('EdDSA');
  const registrationProof = await makeProof(key, {
    principalId,
    audience: `${baseUrl}/sandbox`,
    nowMs: Date.now(),
    claims: { iss: 'did:web:racing', sub: 'did:web:racing' },
  });
  const given = {
    did: 'did:web:racing',
    publicKeyJwkJson: JSON.stringify(key.jwk),
    registrationProof,
  };
  const { prisma } = context.stores.sandbox;
  const expired = { keyThumbprint: 'expired', jti: 'expired', expiresAt: new Date(0) };
  await prisma.registrationProofJti.create({ data: expired });
  const results = await Promise.all(Array.from({ length: 5 }, () => refusalOf(create(given))));
  t.equal(results.filter((result) => result === 'answered').length, 1);
  const usesBy = (keyThumbprint: string) =>
    prisma.registrationProofJti.count({ where: { keyThumbprint } });
  t.equal(await usesBy(key.thumbprint), 1);
  t.equal(await usesBy('expired'), 0, 'the use of a proof that has expired is forgotten');
});

test('key and proof require each other and must match the DID and the environment', async (t) => {
  const key = await makeKey('EdDSA');
  const publicKeyJwkJson = JSON.stringify(key.jwk);
  const proof = (given = {}) =>
    makeProof(key, { principalId, audience: `${baseUrl}/sandbox`, nowMs: Date.now(), ...given });
  const registrationProof = await proof();
  const refused = (given: object) => refusalOf(create(given));
  const error = 'invalid VALIDATION_ERROR';
  t.equal(await refused({ publicKeyJwkJson }), `${error} registration_proof:missing`);
  t.equal(await refused({ registrationProof }), `${error} public_key_jwk:missing`);
  t.equal(
    await refused({ publicKeyJwkJson, registrationProof, did: p256Vector.did }),
    `${error} registration_proof:did_mismatch`,
  );
  t.equal(
    await refused({
      publicKeyJwkJson,
      registrationProof: await proof({ claims: { iss: p256Vector.did, sub: p256Vector.did } }),
      did: p256Vector.did,
    }),
    `${error} registration_proof:did_mismatch`,
    'a did:key of another key, whatever the proof says',
  );
  t.equal(
    await refused({ publicKeyJwkJson, registrationProof: await proof({ audience: baseUrl }) }),
    `${error} registration_proof:aud_mismatch`,
    'a proof for live is not valid in sandbox',
  );
  t.equal(
    await refused({ publicKeyJwkJson: '{"kty":"RSA"}', registrationProof }),
    `${error} public_key_jwk:unsupported_key`,
  );
  const { id, did } = await create({ publicKeyJwkJson, registrationProof });
  t.equal(did, key.did);
  t.match(await keyOf(id), { viCapable: false, keyThumbprint: key.thumbprint });
  const live = await createAgentFixture(running.in('live'), clientId);
  const other = await makeKey('ES256');
  const liveProof = await makeProof(other, {
    principalId: live.principalId,
    audience: baseUrl,
    nowMs: Date.now(),
  });
  const created = await running.in('live').CreateAgent(
    agentRequest(clientId, live.principalId, {
      programOptional: true,
      publicKeyJwkJson: JSON.stringify(other.jwk),
      registrationProof: liveProof,
    }),
  );
  t.equal(created.did, other.did);
});

test('a suspension can be reversed, a revocation not; the same status is no change', async (t) => {
  const { id } = await create();
  const statuses = async (...requested: string[]) => {
    const seen: string[] = [];
    for (const status of requested) {
      const answered = await setStatus(id, status).then(
        (agent) => `${agent.status} ${agent.version}`,
        () => refusalOf(setStatus(id, status)),
      );
      seen.push(answered);
    }
    return seen;
  };
  const refused = 'invalid VALIDATION_ERROR status:transition_not_allowed';
  t.same(await statuses('ACTIVE', 'SUSPENDED', 'SUSPENDED', 'ACTIVE', 'SUSPENDED', 'REVOKED'), [
    'ACTIVE 1',
    'SUSPENDED 2',
    'SUSPENDED 2',
    'ACTIVE 3',
    'SUSPENDED 4',
    'REVOKED 5',
  ]);
  t.same(await statuses('REVOKED', 'ACTIVE', 'SUSPENDED'), ['REVOKED 5', refused, refused]);
  t.match(await refusalOf(setStatus(id, 'ASLEEP')), /status:invalid_value/);
  const history = await context.stores.sandbox.prisma.agentStatusChange.findMany({
    where: { agentId: id },
    orderBy: { id: 'asc' },
  });
  t.same(
    history.map(({ fromStatus, toStatus, reason }) => `${fromStatus} ${toStatus} ${reason}`),
    [
      'ACTIVE SUSPENDED because',
      'SUSPENDED ACTIVE because',
      'ACTIVE SUSPENDED because',
      'SUSPENDED REVOKED because',
    ],
  );
});

test('revoking an agent revokes its mandates, and it gets no new ones', async (t) => {
  const { id } = await create();
  const grant = () => call.CreateMandate(mandateRequest(clientId, id));
  const mandates = [await grant(), await grant(), await grant()];
  await call.RevokeMandate({ tenant, id: mandates[1]?.id ?? '' });
  t.equal((await setStatus(id, 'REVOKED')).status, 'REVOKED', 'one was revoked before');
  for (const mandate of mandates) {
    const now = await call.GetMandate({ tenant, id: mandate.id });
    t.match(now, { status: 'REVOKED', version: 2, mandateHash: mandate.mandateHash });
  }
  t.equal(await refusalOf(grant()), 'invalid agent_revoked');
  const asPrincipal = call.CreateMandate({ ...mandateRequest(clientId, id), principalId });
  t.equal(await refusalOf(asPrincipal), 'invalid VALIDATION_ERROR agent_id:agent_revoked');
});

test('revoking an agent leaves its expired mandates as they are', async (t) => {
  const { id } = await create();
  const day = 24 * 3_600_000;
  const validUntil = new Date(Date.now() + day).toISOString();
  const expired = await call.CreateMandate(mandateRequest(clientId, id, { validUntil }));
  const valid = await call.CreateMandate(mandateRequest(clientId, id));
  running.clock.offsetMs = 2 * day;
  t.teardown(() => {
    running.clock.offsetMs = 0;
  });
  await setStatus(id, 'REVOKED');
  t.match(await call.GetMandate({ tenant, id: expired.id }), { status: 'EXPIRED', version: 1 });
  t.match(await call.GetMandate({ tenant, id: valid.id }), { status: 'REVOKED', version: 2 });
  t.equal(running.ledger.versionOf(expired.id), undefined, 'and they need no fence');
});

test('a grant concurrent with a revocation leaves no active mandate', async (t) => {
  for (let round = 0; round < 8; round += 1) {
    const { id } = await create();
    await Promise.all([
      refusalOf(call.CreateMandate(mandateRequest(clientId, id))),
      setStatus(id, 'REVOKED'),
    ]);
    const { mandates } = await call.ListAgentMandates({ tenant, agentId: id, status: 'ACTIVE' });
    t.same(mandates, []);
  }
});

test("another client's agent is not found, another principal's is forbidden", async (t) => {
  const { id } = await create();
  const absent = 'not_found AGENT_NOT_FOUND';
  const mismatch = 'forbidden TENANT_MISMATCH';
  for (const [as, expected] of [
    [strangerTenant, absent],
    [siblingTenant, mismatch],
  ] as const) {
    t.equal(await refusalOf(call.GetAgent({ tenant: as, id })), expected);
    t.equal(await refusalOf(setStatus(id, 'REVOKED', as)), expected);
    t.equal(await refusalOf(call.ListAgentMandates({ tenant: as, agentId: id })), expected);
  }
  t.equal(await refusalOf(call.GetAgent({ tenant, id: newId('agent') })), absent);
  t.equal(await refusalOf(call.GetAgent({ id })), absent, 'without a tenant');
  t.equal(await refusalOf(running.in('live').GetAgent({ tenant, id })), absent);
  t.same(await call.FindAgent({ id }), await call.GetAgent({ tenant, id }), 'by the operator');
  t.equal(await refusalOf(call.FindAgent({ id: newId('agent') })), absent);
  t.equal(await refusalOf(running.in('live').FindAgent({ id })), absent);
});

test("no agent is created for another client's principal, on either plane", async (t) => {
  const theirs = await createAgentFixture(call);
  for (const programOptional of [true, false]) {
    const { programId: named } = theirs;
    const given = { programOptional, ...(!programOptional && { programId: named }) };
    t.match(await refusalOf(create(given, theirs.principalId)), /^not_found /);
  }
  const { total } = await call.ListPrincipalAgents(theirs);
  t.equal(total, 1);
});

test('the onboarding API lists all agents of a principal in pages, oldest first', async (t) => {
  const owner = await call.RegisterPrincipal(principalRequest(clientId, [programId]));
  const { prisma } = context.stores.sandbox;
  const first = await prisma.agent.findUniqueOrThrow({
    where: { id: (await create({}, owner.id)).id },
    omit: { publicKeyJwkJson: true },
  });
  // Most have the same creation time, so that page boundaries depend on the order of the ids.
  const ids = [first.id, ...Array.from({ length: 1_204 }, () => newId('agent')).sort()];
  const createdAt = new Date(first.createdAt.getTime() + 1_000);
  await prisma.agent.createMany({
    data: ids.slice(1).map((id) => ({ ...first, id, did: `did:web:${id}`, createdAt })),
  });
  const whose = { clientId, principalId: owner.id };
  const unpaged = await call.ListPrincipalAgents(whose);
  t.same(
    unpaged.agents.map(({ id }) => id),
    ids.slice(0, 1_000),
    'a caller that requests no page',
  );
  t.match(unpaged, { total: 1_205, hasMore: true });
  const seen: string[] = [];
  let [before, after]: Array<{ createdAt: string; id: string } | undefined> = [];
  for (const [size, hasMore] of [
    [500, true],
    [500, true],
    [205, false],
  ] as const) {
    const page = await call.ListPrincipalAgents({ ...whose, page: { limit: 500, after } });
    t.match(page, { agents: { length: size }, total: 1_205, hasMore });
    seen.push(...page.agents.map(({ id }) => id));
    const last = page.agents.at(-1);
    before = after;
    after = last && { createdAt: last.createdAt, id: last.id };
  }
  t.same(seen, ids);
  const whole = await call.ListPrincipalAgents({ ...whose, page: { limit: 205, after: before } });
  t.match(whole, { agents: { length: 205 }, hasMore: false }, 'a full page may be the last');
  const beyond = await call.ListPrincipalAgents({ ...whose, page: { limit: 500, after } });
  t.match(beyond, { agents: [], total: 1_205, hasMore: false });
  const numbered = await call.ListAgents({ tenant: whose, page: 1, pageSize: 1_000 });
  t.match(numbered, { agents: { length: 100 }, total: 1_205 }, 'numbered pages are smaller');
  t.same(
    numbered.agents.map(({ id }) => id),
    ids.slice(-100).reverse(),
    'and as firmly ordered',
  );
});

test('agents of one principal are listed in pages, newest first, with filters', async (t) => {
  const owner = await call.RegisterPrincipal(principalRequest(clientId, [programId]));
  const as = { clientId, principalId: owner.id };
  const ids: string[] = [];
  for (let i = 0; i < 5; i += 1) ids.unshift((await create({}, owner.id)).id);
  await setStatus(ids[0] ?? '', 'SUSPENDED', as);
  const list = async (given: object) => {
    const { agents, total } = await call.ListAgents({ tenant: as, page: 1, pageSize: 2, ...given });
    return { ids: agents.map((agent) => agent.id), total };
  };
  t.same(await list({}), { ids: ids.slice(0, 2), total: 5 });
  t.same(await list({ page: 3 }), { ids: ids.slice(4), total: 5 });
  t.same(await list({ page: 4 }), { ids: [], total: 5 });
  t.same(await list({ status: 'SUSPENDED' }), { ids: ids.slice(0, 1), total: 1 });
  t.same(await list({ trustLevel: 'TRUSTED' }), { ids: [], total: 0 });
  t.same(await list({ tenant: { ...as, clientId: newId('client') } }), { ids: [], total: 0 });
});

test('agents are counted by an index alone, with any filter', async (t) => {
  const plan = await inTransaction(context.stores.sandbox.pool, async (client) => {
    await client.query('SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
    const { rows } = await client.query(
      `EXPLAIN SELECT count(*) FROM (
         SELECT id FROM agents WHERE principal_id = $1 AND client_id = $2 AND status = 'ACTIVE'
           AND trust_level = 'TRUSTED' OFFSET 0) agent`,
      ['prn_1', clientId],
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  t.match(plan, /Index Only Scan using agents_list_idx/);
});

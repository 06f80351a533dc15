import { newId } from '@countersign/kernel/id';
import root, { test } from 'tap';
import { createAgentFixture, mandateRequest, principalRequest } from './fixtures.js';
import { refusalOf, startIdentity } from './harness.js';

const running = await startIdentity(root);
const { call, context, clock } = running;
const fixture = await createAgentFixture(call);
const { clientId, principalId, agentId, programId } = fixture;
const tenant = { clientId, principalId };
const day = 24 * 3_600_000;
const { pool } = context.stores.sandbox;

const grant = (given = {}) => call.CreateMandate(mandateRequest(clientId, agentId, given));
const runtimeGrant = (given = {}) =>
  grant({ principalId, rails: [], validUntil: new Date(Date.now() + day).toISOString(), ...given });

test('mandates of the onboarding and the runtime API are stored alike', async (t) => {
  const onboarding = await grant({
    rails: ['card', 'crypto'],
    crypto: { chains: ['base'], assets: ['USDC'], maxTransfer: '25.000001' },
    allowedMccs: ['5411', '5812'],
    maxDailyCount: 3,
  });
  t.has(onboarding, {
    agentId,
    principalId,
    programId,
    rails: ['card', 'crypto'],
    status: 'ACTIVE',
    maxAmountPerTransaction: '100.00',
    maxDailyAmount: '500.00',
    maxDailyCount: 3,
    allowedMccs: ['5411', '5812'],
    allowedChains: ['base'],
    allowedAssets: ['USDC'],
    crypto: { chains: ['base'], assets: ['USDC'], maxTransfer: '25.000001' },
    version: 1,
  });
  t.equal(onboarding.maxMonthlyAmount, undefined);
  t.equal(Date.parse(onboarding.validUntil) - Date.parse(onboarding.validFrom), 365 * day);
  const runtime = await runtimeGrant({
    allowedCounterparties: ['0xAbC'],
    maxDailyAmount: undefined,
  });
  t.match(runtime, { rails: ['card', 'crypto'], allowedCounterparties: ['0xAbC'] });
  t.same({ ...runtime.crypto }, { chains: [], assets: [] });
  t.equal(runtime.maxDailyAmount, undefined);
  t.same(await call.GetMandate({ tenant, id: runtime.id }), runtime);
});

test('amounts are stored without loss of precision', async (t) => {
  const amount = '999999999999999.99';
  const mandate = await grant({
    maxAmountPerTransaction: amount,
    rails: ['crypto'],
    crypto: { chains: ['base'], assets: ['USDC'], maxTransfer: '0.000000000000000001' },
  });
  t.equal(mandate.maxAmountPerTransaction, amount);
  t.equal(mandate.crypto?.maxTransfer, '0.000000000000000001');
  const facts = await call.GetSpendingFacts({ clientId, agentId });
  t.same(facts.mandates[0], mandate, 'the hand-written statement reads the same as Prisma');
});

test('creation is idempotent by id, and only for one agent', async (t) => {
  const request = mandateRequest(clientId, agentId);
  const [one, two] = await Promise.all([call.CreateMandate(request), call.CreateMandate(request)]);
  t.same(one, two);
  t.same(await call.CreateMandate(request), one);
  const other = await createAgentFixture(call, clientId);
  t.equal(
    await refusalOf(call.CreateMandate({ ...request, agentId: other.agentId })),
    'conflict CONFLICT',
  );
});

test('a grant is refused for unknown agents, other principals and invalid terms', async (t) => {
  const sibling = await call.RegisterPrincipal(principalRequest(clientId, [programId]));
  t.equal(await refusalOf(runtimeGrant({ principalId: sibling.id })), 'forbidden TENANT_MISMATCH');
  t.equal(await refusalOf(grant({ clientId: newId('client') })), 'not_found AGENT_NOT_FOUND');
  t.equal(await refusalOf(grant({ agentId: newId('agent') })), 'not_found AGENT_NOT_FOUND');
  t.equal(
    await refusalOf(runtimeGrant({ validUntil: new Date().toISOString() })),
    'invalid VALIDATION_ERROR valid_until:out_of_range',
  );
  await call.UpdateProgram({ id: programId, limitCeilings: { maxAmountPerTransaction: '99' } });
  t.equal(
    await refusalOf(runtimeGrant()),
    'invalid VALIDATION_ERROR max_amount_per_transaction:limit_above_program_ceiling',
  );
  await call.UpdateProgram({ id: programId, rails: ['card'], limitCeilings: {} });
  t.equal(
    await refusalOf(grant({ rails: ['crypto'], crypto: { chains: ['base'], assets: ['USDC'] } })),
    'invalid rail_not_enabled',
  );
  await call.UpdateProgram({ id: programId, rails: ['card', 'crypto'] });
});

test('a revocation is idempotent and changes only status and version', async (t) => {
  const mandate = await grant();
  const revoked = await call.RevokeMandate({ tenant, id: mandate.id });
  t.same(revoked, { ...mandate, status: 'REVOKED', version: 2 });
  t.same(await call.RevokeMandate({ tenant, id: mandate.id }), revoked);
  t.same(await call.GetMandate({ tenant, id: mandate.id }), revoked);
});

test("another client's mandate is not found, another principal's is forbidden", async (t) => {
  const sibling = await call.RegisterPrincipal(principalRequest(clientId, [programId]));
  const { id } = await grant();
  for (const [as, expected] of [
    [{ clientId: newId('client'), principalId }, 'not_found MANDATE_NOT_FOUND'],
    [{ clientId, principalId: sibling.id }, 'forbidden TENANT_MISMATCH'],
  ] as const) {
    t.equal(await refusalOf(call.GetMandate({ tenant: as, id })), expected);
    t.equal(await refusalOf(call.RevokeMandate({ tenant: as, id })), expected);
  }
  const nothing = { tenant, id: newId('mandate') };
  t.equal(await refusalOf(call.GetMandate(nothing)), 'not_found MANDATE_NOT_FOUND');
  t.equal(await refusalOf(call.RevokeMandate(nothing)), 'not_found MANDATE_NOT_FOUND');
});

test('mandates are listed newest first, and EXPIRED is computed', async (t) => {
  const other = await createAgentFixture(call);
  const as = { clientId: other.clientId, principalId: other.principalId };
  const make = (given = {}) =>
    call.CreateMandate(mandateRequest(other.clientId, other.agentId, given));
  const short = await make({ validUntil: new Date(Date.now() + day).toISOString() });
  const revoked = await make();
  await call.RevokeMandate({ tenant: as, id: revoked.id });
  const list = async (status?: string) => {
    const answer = await call.ListAgentMandates({ tenant: as, agentId: other.agentId, status });
    t.equal(answer.total, answer.mandates.length);
    return answer.mandates.map((mandate) => `${mandate.id} ${mandate.status}`);
  };
  const first = other.mandateId;
  t.same(await list(), [`${revoked.id} REVOKED`, `${short.id} ACTIVE`, `${first} ACTIVE`]);
  clock.offsetMs = 2 * day;
  t.teardown(() => {
    clock.offsetMs = 0;
  });
  t.same(await list(), [`${revoked.id} REVOKED`, `${short.id} EXPIRED`, `${first} ACTIVE`]);
  t.same(await list('EXPIRED'), [`${short.id} EXPIRED`]);
  t.same(await list('ACTIVE'), [`${first} ACTIVE`]);
  t.same(await list('REVOKED'), [`${revoked.id} REVOKED`]);
  t.match(await refusalOf(list('LOST')), /status:invalid_value/);
});

test('the database rejects every change of a mandate except its revocation', async (t) => {
  const { id } = await grant();
  const refused = async (sql: string) => {
    await t.rejects(pool.query(sql, [id]), { code: '23001' }, sql);
  };
  await refused(`UPDATE mandates SET max_per_transaction = 1 WHERE id = $1`);
  await refused(`UPDATE mandates SET valid_until = valid_until + interval '1 day' WHERE id = $1`);
  await refused(`UPDATE mandates SET version = version + 1 WHERE id = $1`);
  await refused(
    `UPDATE mandates SET status = 'REVOKED', revoked_at = now(), version = version + 1,
      currency = 'EUR' WHERE id = $1`,
  );
  await refused('DELETE FROM mandates WHERE id = $1');
  await t.rejects(pool.query('TRUNCATE mandates CASCADE'), { code: '23001' });
  await call.RevokeMandate({ tenant, id });
  await refused(
    `UPDATE mandates SET status = 'ACTIVE', revoked_at = null, version = version + 1 WHERE id = $1`,
  );
  await t.rejects(
    pool.query('UPDATE agents SET version = version - 1 WHERE id = $1', [agentId]),
    { code: '23001' },
    'a version never decreases',
  );
});

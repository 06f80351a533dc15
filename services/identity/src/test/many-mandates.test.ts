import root, { test } from 'tap';
import { candidateMandates, unexpiredOrdinals } from '../mandate/sql.js';
import { createAgentFixture, mandateRequest } from './fixtures.js';
import { startIdentity } from './harness.js';

const { call, context, clock } = await startIdentity(root);

test('mandates that are not revoked are returned, newest first', async (t) => {
  const { clientId, agentId, principalId, mandateId } = await createAgentFixture(call);
  const tenant = { clientId, principalId };
  const newest = await call.CreateMandate(mandateRequest(clientId, agentId));
  const revoked = await call.CreateMandate(mandateRequest(clientId, agentId));
  await call.RevokeMandate({ tenant, id: revoked.id });
  t.same(await mandatesOf({ clientId, agentId }), [newest.id, mandateId]);
});

/** The ids of the mandates in the spending facts. */
async function mandatesOf(fixture: { clientId: string; agentId: string }): Promise<string[]> {
  const { clientId, agentId } = fixture;
  const { mandates } = await call.GetSpendingFacts({ clientId, agentId });
  return mandates.map(({ id }) => id);
}

/** Inserts copies of a mandate, each newer than the last. `terms` are SQL; `n` is the number. */
async function grantMany(mandateId: string, count: number, terms: Record<string, string>) {
  const { rails = 'rails', from = 'valid_from', until = 'valid_until' } = terms;
  const { merchants = "'{}'" } = terms;
  const statement = `INSERT INTO mandates (id, agent_id, principal_id, client_id, ordinal, rails,
      currency, max_per_transaction, allowed_mccs, blocked_mccs, allowed_countries,
      blocked_countries, allowed_merchants, blocked_merchants, allowed_chains, allowed_assets,
      allowed_counterparties, valid_from, valid_until, mandate_hash, created_at)
     SELECT m.id || '_' || n, agent_id, principal_id, client_id, 100 + n, ${rails},
      currency, max_per_transaction, '{}', '{}', '{}',
      '{}', ${merchants}, '{}', '{}', '{}',
      '{}', ${from}, ${until}, mandate_hash, created_at
     FROM mandates m, generate_series($2::int, $3::int) n WHERE m.id = $1`;
  // Not more in one statement than its timeout allows.
  for (let first = 1; first <= count; first += 1_500) {
    const last = Math.min(count, first + 1_499);
    await context.stores.sandbox.pool.query(statement, [mandateId, first, last]);
  }
}

test('a valid mandate is not hidden by many newer ones that have expired', async (t) => {
  const fixture = await createAgentFixture(call);
  const until = "valid_from + n * interval '1 millisecond'";
  await grantMany(fixture.mandateId, 10_500, { until });
  clock.offsetMs = 3_600_000;
  t.teardown(() => {
    clock.offsetMs = 0;
  });
  t.same(await mandatesOf(fixture), [`${fixture.mandateId}_10500`, fixture.mandateId]);
});

test('a mandate that was revoked neither supersedes an older one nor is the newest', async (t) => {
  const fixture = await createAgentFixture(call);
  const { clientId, principalId, mandateId } = fixture;
  const until = "CASE n WHEN 9 THEN valid_from + interval '1 second' ELSE valid_until END";
  await grantMany(mandateId, 10, { until });
  clock.offsetMs = 3_600_000;
  t.teardown(() => {
    clock.offsetMs = 0;
  });
  t.same(await mandatesOf(fixture), [`${mandateId}_10`]);
  await call.RevokeMandate({ tenant: { clientId, principalId }, id: `${mandateId}_10` });
  t.same(await mandatesOf(fixture), [`${mandateId}_9`, `${mandateId}_8`]);
});

/** How many rows of the table a statement reads. */
async function rowsRead(statement: string, values: unknown[]): Promise<number> {
  const { pool } = context.stores.sandbox;
  const { rows } = await pool.query(
    `EXPLAIN (ANALYZE, TIMING off, FORMAT json) ${statement}`,
    values,
  );
  return rowsOf(rows[0]['QUERY PLAN'][0].Plan);
}

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

function rowsOf(plan: Plan): number {
  const own = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  const below = (plan.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), 0);
  return plan['Relation Name'] === 'mandates' ? own + below : below;
}

test('what is read of an agent does not grow with its expired mandates', async (t) => {
  const fixture = await createAgentFixture(call);
  const { mandateId, agentId } = fixture;
  await grantMany(mandateId, 3_000, { until: "valid_from + n * interval '1 millisecond'" });
  clock.offsetMs = 3_600_000;
  t.teardown(() => {
    clock.offsetMs = 0;
  });
  t.same(await mandatesOf(fixture), [`${mandateId}_3000`, mandateId]);
  const now = new Date(context.clock());
  const read = await rowsRead(candidateMandates.text, [agentId, now, now, 20, 100]);
  t.equal(read, 21, 'the newest, and those that have not expired');
  const listed = await rowsRead(unexpiredOrdinals.text, [agentId, now, 9_999, 20]);
  t.equal(listed, 41, 'nor for the list of those that are active');
  const tenant = { clientId: fixture.clientId, principalId: fixture.principalId };
  const { mandates, total } = await call.ListAgentMandates({ tenant, agentId, status: 'ACTIVE' });
  t.match({ mandates, total }, { mandates: [{ id: mandateId }], total: 1 });
});

test('of many, the newest are examined, and of the older ones those that last', async (t) => {
  const fixture = await createAgentFixture(call);
  const { mandateId, agentId } = fixture;
  await grantMany(mandateId, 60, { until: "valid_from + (n + 60) * interval '1 minute'" });
  const now = new Date(context.clock());
  const { pool } = context.stores.sandbox;
  const { rows } = await pool.query(candidateMandates.text, [agentId, now, now, 20, 3]);
  const newest = Array.from({ length: 22 }, (_, n) => `${mandateId}_${60 - n}`);
  t.same(
    rows.map(({ id }) => id),
    [...newest, mandateId],
  );
});

test('those that begin later do not take the places of those that are in force', async (t) => {
  const fixture = await createAgentFixture(call);
  const { mandateId, agentId } = fixture;
  const inDays = (column: string) => `${column} + n * interval '1 day'`;
  await grantMany(mandateId, 60, { from: inDays('valid_from'), until: inDays('valid_until') });
  const now = new Date(context.clock());
  const { pool } = context.stores.sandbox;
  const { rows } = await pool.query(candidateMandates.text, [agentId, now, now, 20, 3]);
  t.same(
    rows.map(({ id }) => id),
    [mandateId],
  );
});

test('a mandate that has just ended is still told to those whose clock is behind', async (t) => {
  const fixture = await createAgentFixture(call);
  // The newest ended first, and each older one a minute later.
  await grantMany(fixture.mandateId, 10, { until: "valid_from + (11 - n) * interval '1 minute'" });
  clock.offsetMs = 615_000;
  t.teardown(() => {
    clock.offsetMs = 0;
  });
  const { mandateId } = fixture;
  t.same(await mandatesOf(fixture), [`${mandateId}_10`, `${mandateId}_1`, mandateId]);
});

test('a valid mandate is not hidden by many newer ones for another rail', async (t) => {
  const fixture = await createAgentFixture(call);
  await grantMany(fixture.mandateId, 150, { rails: "'{crypto}'" });
  t.same(await mandatesOf(fixture), [`${fixture.mandateId}_150`, fixture.mandateId]);
});

test('a valid mandate is not hidden by many newer ones that begin later', async (t) => {
  const fixture = await createAgentFixture(call);
  await grantMany(fixture.mandateId, 150, { from: "valid_from + n * interval '1 day'" });
  t.same(await mandatesOf(fixture), [`${fixture.mandateId}_150`, fixture.mandateId]);
});

test('nor by many that begin soon, however large', async (t) => {
  const from = "valid_from + interval '10 minutes' + n * interval '1 second'";
  for (const [count, expected, terms] of [
    [150, 101, {}],
    [30, 12, { merchants: longList }],
  ] as const) {
    const fixture = await createAgentFixture(call);
    await grantMany(fixture.mandateId, count, { from, ...terms });
    const many = await mandatesOf(fixture);
    t.equal(many.length, expected);
    t.equal(many[0], `${fixture.mandateId}_${count}`);
    t.equal(many.at(-1), fixture.mandateId);
  }
});

test('among many, a revoked mandate does not hide the one that it had superseded', async (t) => {
  const fixture = await createAgentFixture(call);
  const { clientId, principalId, mandateId } = fixture;
  await grantMany(mandateId, 10, {});
  t.same(await mandatesOf(fixture), [`${mandateId}_10`]);
  await call.RevokeMandate({ tenant: { clientId, principalId }, id: `${mandateId}_10` });
  t.same(await mandatesOf(fixture), [`${mandateId}_9`]);
});

/** The newest ends first, and each older one some seconds later. */
const nested = "valid_from + interval '40 minutes' - n * interval '10 seconds'";

test('of many that may all apply, the newest hundred of each rail are returned', async (t) => {
  const fixture = await createAgentFixture(call);
  // All are for crypto but the newest, which has been granted in advance.
  const rails = "CASE n WHEN 150 THEN rails ELSE '{crypto}' END";
  const from = "valid_from + CASE n WHEN 150 THEN interval '1 day' ELSE interval '0' END";
  const until = `CASE n WHEN 150 THEN valid_until ELSE ${nested} END`;
  await grantMany(fixture.mandateId, 150, { rails, from, until });
  const many = await mandatesOf(fixture);
  t.equal(many.length, 102);
  t.equal(many[1], `${fixture.mandateId}_149`);
  t.equal(many[100], `${fixture.mandateId}_50`);
  t.equal(many[101], fixture.mandateId, 'the one for card');
});

/** 250 KB. */
const longList = "array_fill(repeat('m', 250), ARRAY[1000])";

test('spending facts with the longest lists still fit one message', async (t) => {
  for (const [count, expected] of [
    [6, 7],
    [30, 11],
  ] as const) {
    const fixture = await createAgentFixture(call);
    await grantMany(fixture.mandateId, count, { until: nested, merchants: longList });
    const many = await mandatesOf(fixture);
    t.equal(many.length, expected);
    t.equal(many[0], `${fixture.mandateId}_${count}`);
  }
});

test('a page holds a thousand mandates without long lists', async (t) => {
  const { clientId, principalId, agentId, mandateId } = await createAgentFixture(call);
  await grantMany(mandateId, 1_000, {});
  const tenant = { clientId, principalId };
  const { mandates, total } = await call.ListAgentMandates({ tenant, agentId });
  t.equal(total, 1_001);
  t.equal(mandates.length, 1_000);
  t.equal(mandates.at(-1)?.id, `${mandateId}_1`);
});

test('of many active mandates every page is full, and the last tells that it is', async (t) => {
  const { clientId, principalId, agentId, mandateId } = await createAgentFixture(call);
  // Every second one has expired.
  await grantMany(mandateId, 5_000, {
    until: "valid_from + (n % 2 * n) * interval '1 minute' + interval '1 second'",
  });
  clock.offsetMs = 2_000;
  t.teardown(() => {
    clock.offsetMs = 0;
  });
  const whose = { tenant: { clientId, principalId }, agentId, status: 'ACTIVE' };
  const ids: string[] = [];
  const sizes: number[] = [];
  let before: number | undefined;
  do {
    const page = await call.ListAgentMandates({ ...whose, before });
    t.equal(page.total, 2_501);
    sizes.push(page.mandates.length);
    ids.push(...page.mandates.map(({ id }) => id));
    before = page.nextBefore;
  } while (before !== undefined);
  t.same(sizes, [1_000, 1_000, 501]);
  const granted = Array.from({ length: 2_500 }, (_, n) => `${mandateId}_${4_999 - 2 * n}`);
  t.same(ids, [...granted, mandateId]);
});

test('a list of large mandates is complete over several pages', async (t) => {
  const { clientId, principalId, agentId, mandateId } = await createAgentFixture(call);
  await grantMany(mandateId, 40, { merchants: longList });
  const tenant = { clientId, principalId };
  const ids: string[] = [];
  let before: number | undefined;
  do {
    const page = await call.ListAgentMandates({ tenant, agentId, before });
    t.equal(page.total, 41);
    t.ok(page.mandates.length > 0);
    t.ok(JSON.stringify(page.mandates).length < 1_000_000, 'a page that is answered in one piece');
    ids.push(...page.mandates.map(({ id }) => id));
    before = page.nextBefore;
  } while (before !== undefined);
  const granted = Array.from({ length: 40 }, (_, n) => `${mandateId}_${40 - n}`);
  t.same(ids, [...granted, mandateId]);
});

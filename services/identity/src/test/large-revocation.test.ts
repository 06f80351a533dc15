import { until } from '@countersign/runtime/testing';
import root, { test } from 'tap';
import { mandatesAtOnce } from '../agent/revocations.js';
import { type AgentFixture, createAgentFixture } from './fixtures.js';
import { startIdentity } from './harness.js';

const { call, context, ledger } = await startIdentity(root);
const { pool } = context.stores.sandbox;

/** The deadline that the gateway gives to this call. */
const deadlineMs = 5_000;

/** Copies the only mandate of an agent, as if one had been granted for each purchase. */
async function copyMandate({ agentId, mandateId }: AgentFixture, copies: number): Promise<void> {
  const atOnce = 300;
  for (let first = 1; first <= copies; first += atOnce) {
    const last = Math.min(first + atOnce - 1, copies);
    await pool.query(
      `INSERT INTO mandates SELECT (jsonb_populate_record(m, jsonb_build_object(
         'id', m.id || n, 'ordinal', m.ordinal + n))).*
       FROM mandates m, generate_series($2::int, $3::int) n WHERE m.id = $1`,
      [mandateId, first, last],
    );
    await pool.query('UPDATE agents SET version = version + $2 WHERE id = $1', [
      agentId,
      last - first + 1,
    ]);
  }
}

async function countOf(sql: string, values: unknown[]): Promise<number> {
  const { rows } = await pool.query(`SELECT count(*)::int AS count FROM ${sql}`, values);
  return rows[0].count;
}

const activeOf = (agentId: string) =>
  countOf("mandates WHERE agent_id = $1 AND status = 'ACTIVE'", [agentId]);

const revoke = ({ clientId, principalId, agentId }: AgentFixture) =>
  call.UpdateAgentStatus(
    { tenant: { clientId, principalId }, id: agentId, status: 'REVOKED', reason: 'gone' },
    { deadlineMs },
  );

test('an agent with 50,000 mandates is stopped in time, and all are revoked', async (t) => {
  const fixture = await createAgentFixture(call);
  const { agentId } = fixture;
  const other = await createAgentFixture(call);
  await copyMandate(fixture, 50_000);
  const agent = await revoke(fixture);
  t.equal(agent.status, 'REVOKED');
  t.equal(ledger.versionOf(agentId), agent.version, 'stopped when the call returns');
  t.equal((await revoke(fixture)).version, agent.version, 'a repeat changes nothing');
  await until(async () => (await countOf('pending_revocations', [])) === 0, {
    what: 'the mandates',
    timeoutMs: 60_000,
  });
  t.equal(await activeOf(agentId), 0);
  t.equal(await activeOf(other.agentId), 1, 'each of this agent, and none of another');
  const events = "outbox WHERE payload LIKE '%' || $1 || '%' AND payload LIKE '%\"mandate\"%'";
  t.equal(await countOf(events, [agentId]), 50_001, 'one event for each');
  const times = 'SELECT count(DISTINCT revoked_at)::int AS n FROM mandates WHERE agent_id = $1';
  t.equal((await pool.query(times, [agentId])).rows[0].n, 1, 'revoked at the same time');
});

test('what a crashed process left is revoked, and expired mandates are not', async (t) => {
  const fixture = await createAgentFixture(call);
  const { agentId, mandateId } = fixture;
  await copyMandate(fixture, 2 * mandatesAtOnce);
  const expiring = await call.CreateMandate({
    ...{ id: `${mandateId}x`, clientId: fixture.clientId, agentId, rails: ['card'] },
    ...{ currency: 'USD', maxAmountPerTransaction: '1', maxDailyAmount: '1' },
    validUntil: new Date(Date.now() + 120_000).toISOString(),
  });
  // They are newer than the others, and fill a batch: the next one must begin below them.
  await copyMandate({ ...fixture, mandateId: expiring.id }, mandatesAtOnce);
  await pool.query("UPDATE agents SET status = 'REVOKED' WHERE id = $1", [agentId]);
  await pool.query(
    `INSERT INTO pending_revocations (agent_id, below, request_id, revoked_at)
     SELECT id, version + 1, 'req_crashed', $2 FROM agents WHERE id = $1`,
    [agentId, new Date(Date.now() + 180_000)],
  );
  await until(async () => (await countOf('pending_revocations', [])) === 0);
  t.equal(await activeOf(agentId), mandatesAtOnce + 1);
  const active = "mandates WHERE status = 'ACTIVE' AND id LIKE $1 || '%'";
  t.equal(await countOf(active, [expiring.id]), mandatesAtOnce + 1);
});

test('a mandate that was revoked before its agent is not revoked again', async (t) => {
  const fixture = await createAgentFixture(call);
  const { clientId, principalId, mandateId } = fixture;
  const mandate = { tenant: { clientId, principalId }, id: mandateId };
  await call.RevokeMandate(mandate);
  const before = await call.GetMandate(mandate);
  await revoke(fixture);
  t.same(await call.GetMandate(mandate), before);
});

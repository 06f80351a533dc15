/** Changes of one entity that come at once: each finds what the one before it has left. */
import { until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import root, { test } from 'tap';
import { applyTrustLevel } from '../sql.js';
import { createAgentFixture, principalRequest, providerVerification } from './fixtures.js';
import { refusalOf, startIdentity } from './harness.js';

const running = await startIdentity(root);
const { call, context } = running;
const { pool } = context.stores.sandbox;
const fixture = await createAgentFixture(call);
const { clientId, principalId, programId, agentId, mandateId } = fixture;
const tenant = { clientId, principalId };

const waiting = () => waitingForLocks(pool);

/** Begins each change in turn while the row is locked by another; what came of them, in order. */
async function atOnce(
  table: 'agents' | 'mandates' | 'principals' | 'programs',
  id: string,
  changes: Array<() => Promise<unknown>>,
): Promise<string[]> {
  const holder = await pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(`SELECT FROM ${table} WHERE id = $1 FOR NO KEY UPDATE`, [id]);
    const outcomes: Array<Promise<string>> = [];
    for (const change of changes) {
      outcomes.push(refusalOf(change()));
      await until(async () => (await waiting()) === outcomes.length, { what: 'it to wait' });
    }
    await holder.query('COMMIT');
    return await Promise.all(outcomes);
  } finally {
    holder.release();
  }
}

test('a mandate that is revoked twice at once is revoked once', async (t) => {
  const revoke = () => call.RevokeMandate({ tenant, id: mandateId });
  t.same(await atOnce('mandates', mandateId, [revoke, revoke]), ['answered', 'answered']);
  t.match(await call.GetMandate({ tenant, id: mandateId }), { status: 'REVOKED', version: 2 });
});

test('an agent that is revoked while it is reactivated stays revoked', async (t) => {
  const become = (status: string) =>
    call.UpdateAgentStatus({ tenant, id: agentId, status, reason: 'because' });
  await become('SUSPENDED');
  const outcomes = await atOnce('agents', agentId, [
    () => become('REVOKED'),
    () => become('ACTIVE'),
  ]);
  const refused = 'invalid VALIDATION_ERROR status:transition_not_allowed';
  t.same(outcomes, ['answered', refused]);
  t.match(await call.GetAgent({ tenant, id: agentId }), { status: 'REVOKED', version: 3 });
});

test('a trust level that waited for a later one is outdated by then', async (t) => {
  const other = await createAgentFixture(call);
  const values = (level: string, at: number) => [
    ...[other.agentId, level, new Date(at).toISOString()],
    other.clientId,
  ];
  const holder = await pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(applyTrustLevel, values('VERIFIED', 2_000));
    const earlier = pool.query(applyTrustLevel, values('TRUSTED', 1_000));
    await until(async () => (await waiting()) === 1, { what: 'the earlier level to wait' });
    await holder.query('COMMIT');
    t.equal((await earlier).rowCount, 0);
  } finally {
    holder.release();
  }
  const owner = { clientId: other.clientId, principalId: other.principalId };
  const agent = await call.GetAgent({ tenant: owner, id: other.agentId });
  t.match(agent, { trustLevel: 'VERIFIED', version: 2 });
});

test('of two results of one verification the first counts', async (t) => {
  const request = principalRequest(clientId, [programId], { verification: providerVerification });
  const { id, verificationSession: session } = await call.RegisterPrincipal(request);
  const result = (verificationStatus: string) => () =>
    call.UpdatePrincipal({ verificationSessionId: session?.id, verificationStatus });
  const outcomes = await atOnce('principals', id, [result('FAILED'), result('VERIFIED')]);
  t.same(outcomes, ['answered', 'conflict CONFLICT']);
  const { verificationStatus } = await call.GetPrincipal({ id, clientId });
  t.equal(verificationStatus, 'FAILED');
});

test('a ceiling has to fit the currency that a program gets meanwhile', async (t) => {
  const outcomes = await atOnce('programs', programId, [
    () => call.UpdateProgram({ id: programId, defaultCurrency: 'JPY' }),
    () => call.UpdateProgram({ id: programId, limitCeilings: { maxAmountPerTransaction: '9.50' } }),
  ]);
  t.equal(outcomes[0], 'answered');
  t.match(outcomes[1], /too_many_decimals/);
});

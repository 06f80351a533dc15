import { newId } from '@countersign/kernel/id';
import { until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import root, { test } from 'tap';
import {
  agentRequest,
  createAgentFixture,
  principalRequest,
  providerVerification,
} from './fixtures.js';
import { refusalOf, startIdentity } from './harness.js';

const { call, context } = await startIdentity(root);
const { clientId, programId } = await createAgentFixture(call);
const register = (given = {}) =>
  call.RegisterPrincipal(principalRequest(clientId, [programId], given));
/** The statement by which an erasure locks agents. */
const agentsOf = '%FROM agents WHERE principal_id%';
const profile = { displayName: 'Ada', email: 'ada@example.org' };

test('a verification that is pending ends with what would be verified', async (t) => {
  const { id, verificationSession } = await register({ verification: providerVerification });
  await call.ErasePersonalData({ principalId: id });
  const erased = { verificationStatus: 'EXPIRED', verificationSession: { status: 'EXPIRED' } };
  t.match(await call.GetPrincipal({ id, clientId }), erased);
  const late = { verificationSessionId: verificationSession?.id, verificationStatus: 'VERIFIED' };
  t.equal(await refusalOf(call.UpdatePrincipal(late)), 'conflict CONFLICT');
  t.match(await call.GetPrincipal({ id, clientId }), erased);
});

test('a result of before does not verify who has the id afterwards', async (t) => {
  const { id, verificationSession } = await register({ verification: providerVerification });
  await call.ErasePersonalData({ principalId: id });
  await call.PutProfile({ principalId: id, profile });
  await call.UpdatePrincipal({ id, verificationStatus: 'PENDING' });
  const late = { verificationSessionId: verificationSession?.id, verificationStatus: 'VERIFIED' };
  t.equal(await refusalOf(call.UpdatePrincipal(late)), 'conflict CONFLICT');
  t.match(await call.GetPrincipal({ id, clientId }), { verificationStatus: 'PENDING' });
});

test('a verification that had a result by then keeps it', async (t) => {
  const { id, verificationSession } = await register({ verification: providerVerification });
  const verificationSessionId = verificationSession?.id ?? '';
  await call.UpdatePrincipal({ verificationSessionId, verificationStatus: 'VERIFIED' });
  await call.ErasePersonalData({ principalId: id });
  const { prisma } = context.stores.sandbox;
  const where = { id: verificationSessionId };
  t.match(await prisma.verificationSession.findUnique({ where }), { status: 'VERIFIED' });
});

test('an erasure leaves everybody else as they are', async (t) => {
  const { agentId, ...tenant } = await createAgentFixture(call);
  const suspended = { tenant, id: agentId, status: 'SUSPENDED', reason: 'asked by Ada' };
  await call.UpdateAgentStatus(suspended);
  const pending = await register({ verification: providerVerification });
  const { prisma } = context.stores.sandbox;
  const ofOthers = { principalId: { in: [tenant.principalId, pending.id] } };
  const others = async () => ({
    principals: await prisma.principal.findMany({
      where: { id: ofOthers.principalId },
      orderBy: { id: 'asc' },
    }),
    profiles: await prisma.profile.findMany({
      where: ofOthers,
      orderBy: { principalId: 'asc' },
    }),
    agents: await prisma.agent.findMany({ where: ofOthers }),
    changes: await prisma.agentStatusChange.findMany({ where: { agentId } }),
    sessions: await prisma.verificationSession.findMany({ where: ofOthers }),
  });
  const before = await others();
  t.same(
    Object.values(before).map(({ length }) => length),
    [2, 2, 1, 1, 1],
  );
  const { id } = await register();
  await call.ErasePersonalData({ principalId: id });
  t.same(await others(), before);
});

test('who was erased is verified only once there is a profile again', async (t) => {
  const { id } = await register();
  await call.ErasePersonalData({ principalId: id });
  const verify = (verificationStatus: string) =>
    refusalOf(call.UpdatePrincipal({ id, verificationStatus }));
  t.equal(await verify('VERIFIED'), 'conflict CONFLICT');
  t.equal(await verify('PENDING'), 'conflict CONFLICT');
  t.equal(await verify('EXPIRED'), 'answered', 'which it is');
  t.match(await call.UpdatePrincipal({ id, riskTier: 'HIGH' }), { riskTier: 'HIGH' });
  await call.PutProfile({ principalId: id, profile });
  t.equal(await verify('VERIFIED'), 'answered');
});

test('who was erased gets no agent, and a retry finds the one it made before', async (t) => {
  const { id } = await register();
  const request = agentRequest(clientId, id, { name: 'Shopper of Ada' });
  const made = await call.CreateAgent(request);
  await call.ErasePersonalData({ principalId: id });
  const create = (given = {}) => refusalOf(call.CreateAgent(agentRequest(clientId, id, given)));
  t.equal(await create(), 'conflict CONFLICT');
  t.equal(await create({ programOptional: true }), 'conflict CONFLICT');
  t.match(await call.CreateAgent(request), { id: made.id, name: 'erased' });
  await call.PutProfile({ principalId: id, profile });
  t.equal(await create(), 'answered');
});

test('no agent is named behind an erasure that is under way', async (t) => {
  const { pool, prisma } = context.stores.sandbox;
  const { id } = await register();
  const erasing = await pool.connect();
  await erasing.query('BEGIN');
  await erasing.query('SELECT 1 FROM principals WHERE id = $1 FOR NO KEY UPDATE', [id]);
  const creation = refusalOf(call.CreateAgent(agentRequest(clientId, id)));
  const statement = '%FROM principals%FOR NO KEY UPDATE';
  const waits = async () => (await waitingForLocks(pool, statement)) === 1;
  await until(waits, { what: 'the creation' });
  await erasing.query('DELETE FROM profiles WHERE principal_id = $1', [id]);
  await erasing.query('COMMIT');
  erasing.release();
  t.equal(await creation, 'conflict CONFLICT');
  t.equal(await prisma.agent.count({ where: { principalId: id } }), 0);
});

test('the reason of a change of status that is under way is erased too', async (t) => {
  const { pool, prisma } = context.stores.sandbox;
  const { id } = await register();
  const { id: agentId } = await call.CreateAgent(agentRequest(clientId, id));
  const changing = await pool.connect();
  await changing.query('BEGIN');
  await changing.query('SELECT 1 FROM agents WHERE id = $1 FOR NO KEY UPDATE', [agentId]);
  const change = { agentId, fromStatus: 'ACTIVE', toStatus: 'SUSPENDED', reason: 'asked by Ada' };
  await changing.query(
    `INSERT INTO agent_status_changes
       (agent_id, from_status, to_status, reason, request_id, changed_at)
     VALUES ($1, $2, $3, $4, 'req', now())`,
    Object.values(change),
  );
  const erasure = call.ErasePersonalData({ principalId: id });
  const waits = async () => (await waitingForLocks(pool, agentsOf)) === 1;
  await until(waits, { what: 'the erasure' });
  await changing.query('COMMIT');
  changing.release();
  await erasure;
  const changes = await prisma.agentStatusChange.findMany({ where: { agentId } });
  t.match(changes, [{ ...change, reason: 'erased' }]);
});

test('an erasure lets a mandate be granted that is under way', async (t) => {
  const { pool } = context.stores.sandbox;
  const { id } = await register({ clientCustomerRef: 'the one with a mandate' });
  const { id: agentId } = await call.CreateAgent(agentRequest(clientId, id));
  const granting = await pool.connect();
  await granting.query('BEGIN');
  await granting.query('SELECT 1 FROM agents WHERE id = $1 FOR NO KEY UPDATE', [agentId]);
  const erasure = refusalOf(call.ErasePersonalData({ principalId: id }));
  const waits = async () => (await waitingForLocks(pool, agentsOf)) === 1;
  await until(waits, { what: 'the erasure' });
  // As the foreign key of the mandate does, but without waiting.
  const share = 'SELECT 1 FROM principals WHERE id = $1 FOR KEY SHARE NOWAIT';
  await t.resolves(granting.query(share, [id]));
  await granting.query('COMMIT');
  granting.release();
  t.equal(await erasure, 'answered');
});

test('whose data is unknown cannot be erased', async (t) => {
  const unknown = call.ErasePersonalData({ principalId: newId('principal') });
  t.equal(await refusalOf(unknown), 'not_found PRINCIPAL_NOT_FOUND');
});

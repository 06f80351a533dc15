import { sha256Hex } from '@countersign/kernel/canonical';
import { isoTime } from '@countersign/kernel/clock';
import type { PageRequestInput } from '@countersign/proto/conventions';
import type { CommitRequest } from '@countersign/proto/ledger';
import { inTransaction } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import { t as file, test } from 'tap';
import { switchTriggersOff } from './chained.js';
import {
  callOf,
  count,
  createWorld,
  faultOf,
  newSpender,
  proposalOf,
  type Spender,
} from './fixture.js';

const world = await createWorld(file);
const ledger = await world.start();
const other = await world.start();
const { pool } = ledger.context.stores.live;
const kept = 'SELECT count(*) FROM decision_basis WHERE hash = $1';

function basisOf(body: string): Pick<CommitRequest, 'basisHash' | 'basisJson'> {
  return { basisHash: sha256Hex(body), basisJson: body };
}

function thresholdsOf(body: string): Pick<CommitRequest, 'thresholdsHash' | 'thresholdsJson'> {
  return { thresholdsHash: sha256Hex(body), thresholdsJson: body };
}

async function basisRead({ clientId, principalId }: Spender, authorizationId: string) {
  const request = { tenant: { clientId, principalId }, authorizationId };
  const { basisJson } = await ledger.handlers.GetAuthorization(request, callOf(ledger));
  return basisJson;
}

test('a basis is stored once for all records and returned with each of them', async (t) => {
  const spender = newSpender();
  const basis = basisOf('{"agent":"ä 50 %"}');
  const requests = Array.from({ length: 20 }, () => proposalOf(spender, basis));
  const outcomes = await Promise.all(
    requests.map((request, index) => {
      const to = index % 2 ? ledger : other;
      return to.handlers.Commit(request, callOf(to));
    }),
  );
  t.ok(outcomes.every(({ outcome }) => outcome === 'recorded'));
  t.equal(await count(ledger, kept, [basis.basisHash]), 1);
  for (const { authorizationId } of requests.slice(0, 3)) {
    t.equal(await basisRead(spender, authorizationId), basis.basisJson);
  }
});

test('a record without a basis has none', async (t) => {
  const spender = newSpender();
  const request = proposalOf(spender);
  await ledger.handlers.Commit(request, callOf(ledger));
  t.equal(await basisRead(spender, request.authorizationId), undefined);
});

test('a basis of a batch that recorded nothing is not considered recorded', async (t) => {
  const spender = newSpender();
  const basis = basisOf('{"agent":"new"}');
  const over = proposalOf(spender, { ...basis, amount: '300.00' });
  t.match(await ledger.handlers.Commit(over, callOf(ledger)), { outcome: 'limits_differ' });
  t.equal(await count(ledger, kept, [basis.basisHash]), 0);
  const request = proposalOf(spender, basis);
  t.match(await ledger.handlers.Commit(request, callOf(ledger)), { outcome: 'recorded' });
  t.equal(await basisRead(spender, request.authorizationId), basis.basisJson);
});

test('only the proposal whose basis does not match its hash is rejected', async (t) => {
  const spender = newSpender();
  const wrong = proposalOf(spender, { ...basisOf('{"a":1}'), basisJson: '{"a":2}' });
  const right = proposalOf(spender, basisOf('{"a":3}'));
  const [refused, recorded] = await Promise.allSettled(
    [wrong, right].map((request) => ledger.handlers.Commit(request, callOf(ledger))),
  );
  t.match(refused, { status: 'rejected', reason: { constraint: 'known_by_its_hash' } });
  t.match(recorded, { status: 'fulfilled', value: { outcome: 'recorded' } });
  const unnamed = ledger.handlers.Commit(proposalOf(spender, { basisJson: '{}' }), callOf(ledger));
  t.match(await faultOf(unnamed), { kind: 'internal' });
});

test('inputs are listed newest first, with the bases and thresholds that they name', async (t) => {
  const began = Date.now();
  const spender = newSpender();
  const thresholds = thresholdsOf('{"model":"thresholds"}');
  const basis = basisOf(`{"agent":"listed","thresholds":"${thresholds.thresholdsHash}"}`);
  const bare = basisOf('{"agent":"listed"}');
  const proposals = [
    proposalOf(spender, bare),
    proposalOf(spender, { ...basis, ...thresholds, amount: '12.5' }),
    proposalOf(spender, basis),
    proposalOf(spender),
    proposalOf(newSpender({ principalId: spender.principalId }), basis),
    proposalOf(newSpender({ agentId: spender.agentId }), basis),
  ].map((proposal, index) => ({ ...proposal, decidedAt: isoTime(began + index) }));
  for (const proposal of proposals) {
    t.match(await ledger.handlers.Commit(proposal, callOf(ledger)), { outcome: 'recorded' });
  }
  const [first, second, third, last] = proposals;
  const asked = { tenant: spender, agentId: spender.agentId };
  const list = (page: PageRequestInput) =>
    ledger.handlers.ListDecisionInputs({ ...asked, page }, callOf(ledger));
  const newest = await list({ limit: 3 });
  const { basisHash } = basis;
  const { thresholdsHash } = thresholds;
  const { factsJson } = proposalOf(spender);
  t.has(newest.inputs, [
    { authorizationId: last?.authorizationId, factsJson, amount: '10.00', currency: 'USD' },
    { authorizationId: third?.authorizationId, basisHash, thresholdsHash },
    { authorizationId: second?.authorizationId, amount: '12.50', basisHash, thresholdsHash },
  ]);
  t.notOk(newest.inputs[0]?.basisHash);
  t.same(newest.texts, {
    [basisHash ?? '']: basis.basisJson,
    [thresholdsHash ?? '']: thresholds.thresholdsJson,
  });
  t.ok(newest.hasMore);
  const after = { createdAt: second?.decidedAt, id: second?.authorizationId };
  const rest = await list({ limit: 3, after });
  t.match(rest, { inputs: [{ authorizationId: first?.authorizationId }], hasMore: false });
  t.equal(rest.inputs.length, 1, 'neither of another agent nor of another Principal');
  t.notOk(rest.inputs[0]?.thresholdsHash, 'its basis names none');
  t.same(rest.texts, { [bare.basisHash ?? '']: bare.basisJson });
});

test('the text of a recorded basis may be omitted, and an unknown one is requested', async (t) => {
  const spender = newSpender();
  const { basisHash, basisJson } = basisOf('{"agent":"known to one"}');
  const first = proposalOf(spender, { basisHash, basisJson });
  t.match(await ledger.handlers.Commit(first, callOf(ledger)), { outcome: 'recorded' });
  const second = proposalOf(spender, { basisHash });
  t.match(await other.handlers.Commit(second, callOf(other)), { outcome: 'basis_unknown' });
  t.match(await ledger.handlers.Commit(second, callOf(ledger)), { outcome: 'recorded' });
  t.equal(await basisRead(spender, second.authorizationId), basisJson);
});

test('thresholds are stored once for many bases and returned with each record', async (t) => {
  const spender = newSpender();
  const thresholds = thresholdsOf('{"a":"for many"}');
  const { thresholdsHash } = thresholds;
  const basis = (agent: string) => basisOf(JSON.stringify({ agent, thresholds: thresholdsHash }));
  const withoutThresholds = { ...basis('one'), thresholdsHash };
  const response = await ledger.handlers.Commit(
    proposalOf(spender, withoutThresholds),
    callOf(ledger),
  );
  t.match(response, { outcome: 'basis_unknown' });
  const complete = proposalOf(spender, { ...basis('one'), ...thresholds });
  const later = proposalOf(spender, { ...basis('another'), thresholdsHash });
  for (const request of [complete, later]) {
    const { outcome } = await ledger.handlers.Commit(request, callOf(ledger));
    t.equal(outcome, 'recorded');
  }
  t.equal(await count(ledger, kept, [thresholdsHash]), 1);
  for (const { authorizationId, basisJson } of [complete, later]) {
    const request = { tenant: spender, authorizationId };
    const read = await ledger.handlers.GetAuthorization(request, callOf(ledger));
    t.match(read, { basisJson, thresholdsJson: thresholds.thresholdsJson });
  }
  const unnamed = proposalOf(spender, { ...basis('two'), thresholdsJson: '{}' });
  t.match(await faultOf(ledger.handlers.Commit(unnamed, callOf(ledger))), { kind: 'internal' });
});

test('a record of which a basis or its thresholds are missing is read without them', async (t) => {
  const damaged = await (await createWorld(t)).start();
  const spender = newSpender();
  const thresholds = thresholdsOf('{"a":"lost"}');
  const basis = basisOf(JSON.stringify({ agent: 'lost', thresholds: thresholds.thresholdsHash }));
  const request = proposalOf(spender, { ...basis, ...thresholds });
  const { authorizationId } = request;
  await damaged.handlers.Commit(request, callOf(damaged));
  const said: object[] = [];
  const call = callOf(damaged);
  call.log = { error: (about: object) => said.push(about) } as unknown as Logger;
  const readWithout = (hash = '') =>
    inTransaction(damaged.context.stores.live.pool, async (client) => {
      await switchTriggersOff(client);
      await client.query('DELETE FROM decision_basis WHERE hash = $1', [hash]);
    }).then(() => damaged.handlers.GetAuthorization({ tenant: spender, authorizationId }, call));
  for (const hash of [thresholds.thresholdsHash, basis.basisHash]) {
    const entry = await readWithout(hash);
    t.match(entry, { id: authorizationId, decision: request.decision });
    t.equal(entry.thresholdsJson, undefined);
    t.match(said.pop(), { authorizationId, missing: hash });
  }
  t.same(said, []);
});

test('a basis cannot be deleted', async (t) => {
  for (const sql of ['UPDATE decision_basis SET body = body', 'DELETE FROM decision_basis']) {
    await t.rejects(pool.query(sql), /records are only appended/);
  }
});

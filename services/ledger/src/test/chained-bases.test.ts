import { sha256Hex } from '@countersign/kernel/canonical';
import { inTransaction } from '@countersign/runtime/database';
import { test } from 'tap';
import { chainAll, switchTriggersOff, verified } from './chained.js';
import { callOf, count, createWorld, type Ledger, newSpender, proposalOf } from './fixture.js';

const thresholdsJson = '{"limit":"1.00"}';
const thresholdsHash = sha256Hex(thresholdsJson);
const basisJson = `{"agent":"ä 50 %","thresholds":"${thresholdsHash}"}`;
const basisHash = sha256Hex(basisJson);

/** Two chained records with one basis. */
async function chainedRecords(ledger: Ledger): Promise<string[]> {
  const basis = { basisHash, basisJson, thresholdsHash, thresholdsJson };
  const requests = [proposalOf(newSpender(), basis), proposalOf(newSpender(), basis)];
  for (const request of requests) await ledger.handlers.Commit(request, callOf(ledger));
  await chainAll(ledger);
  return requests.map(({ authorizationId }) => authorizationId);
}

/** As the owner of the database, who can disable the triggers that protect its rows. */
async function tamper(ledger: Ledger, sql: string, values: string[]): Promise<void> {
  await inTransaction(ledger.context.stores.live.pool, async (client) => {
    await switchTriggersOff(client);
    await client.query('ALTER TABLE decision_basis DROP CONSTRAINT IF EXISTS known_by_its_hash');
    await client.query(sql, values);
  });
}

test('a basis is covered by the entry of its record and has no entry itself', async (t) => {
  const ledger = await (await createWorld(t)).start();
  await chainedRecords(ledger);
  t.match(await verified(ledger), { entries: 2, waiting: 0, bad: null });
  t.equal(await count(ledger, `SELECT count(*) FROM chain_entry WHERE kind = 'basis'`), 0);
});

test('a changed or removed basis or threshold is detected by its record', async (t) => {
  const cases = [
    ['UPDATE decision_basis SET body = body || $2 WHERE hash = $1', [basisHash, ' '], 'changed'],
    ['DELETE FROM decision_basis WHERE hash = $1', [basisHash], 'missing'],
    ['UPDATE decision_basis SET body = $2 WHERE hash = $1', [thresholdsHash, '{}'], 'changed'],
    ['DELETE FROM decision_basis WHERE hash = $1', [thresholdsHash], 'missing'],
  ] as const;
  for (const [sql, values, what] of cases) {
    const ledger = await (await createWorld(t)).start();
    const [first] = await chainedRecords(ledger);
    await tamper(ledger, sql, [...values]);
    const { bad } = await verified(ledger);
    t.match(bad, { kind: 'authorization', ref: first, problem: new RegExp(what) }, sql);
    t.match(bad?.problem, values[0]);
  }
});

test('another text beside the basis is detected, whichever is read first', async (t) => {
  for (const texts of [
    [basisJson, '{}'],
    ['{}', basisJson],
  ]) {
    const ledger = await (await createWorld(t)).start();
    const [first] = await chainedRecords(ledger);
    await tamper(ledger, 'ALTER TABLE decision_basis DROP CONSTRAINT decision_basis_pkey', []);
    await tamper(ledger, 'DELETE FROM decision_basis WHERE hash = $1', [basisHash]);
    for (const text of texts) {
      const insert = 'INSERT INTO decision_basis (hash, body) VALUES ($1, $2)';
      await tamper(ledger, insert, [basisHash, text]);
    }
    t.match((await verified(ledger)).bad, { ref: first, problem: /changed/ });
  }
});

test('a record whose basis is no JSON is read and verified all the same', async (t) => {
  const ledger = await (await createWorld(t)).start();
  const tenant = newSpender();
  const page = { limit: 10 };
  for (const text of ['no JSON', 'null', '[]']) {
    const basis = { basisHash: sha256Hex(text), basisJson: text };
    const request = proposalOf(tenant, basis);
    await ledger.handlers.Commit(request, callOf(ledger));
    const which = { tenant, authorizationId: request.authorizationId };
    t.match(await ledger.handlers.GetAuthorization(which, callOf(ledger)), { basisJson: text });
    const asked = { tenant, agentId: tenant.agentId, page };
    const { inputs, texts } = await ledger.handlers.ListDecisionInputs(asked, callOf(ledger));
    t.equal(inputs[0]?.authorizationId, request.authorizationId);
    t.equal(texts[basis.basisHash], text);
  }
  await chainAll(ledger);
  t.match(await verified(ledger), { entries: 3, waiting: 0, bad: null });
});

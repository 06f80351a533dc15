/** Crypto settlements: every state and every refusal, against a fake node of a chain. */
import { until } from '@countersign/runtime/testing';
import t from 'tap';
import { type Api, api } from './api.js';
import { startChainNode, token } from './chain-node.js';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import * as is from './shape.js';
import { expectStatus, newSpender, newTenant, onboardBody, paymentBody } from './tenant.js';

const confirmations = 3;
const chainId = 8453;
const node = await startChainNode(chainId);
const base = {
  name: 'base',
  chain_id: chainId,
  rpc_urls: [node.url],
  confirmations,
  assets: { USDC: { contract: token, decimals: 6 } },
};
const stack = await startInstallation({
  env: {
    ...patience,
    RATE_LIMIT_MULTIPLIER: '0',
    CHAINS_SANDBOX: JSON.stringify([base]),
    CHAIN_POLL_MS: '50',
  },
  seed: false,
});
t.teardown(async () => {
  await stack.stop();
  await node.close();
});
const tenant = await newTenant(stack);
const settlements = '/api/v1/crypto/settlements';
const wallet = `0x${'a1'.repeat(20)}`;
const shop = `0x${'5b'.repeat(20)}`;
const asked = { from: wallet, to: shop, value: 10_000_000n };

type Fields = Record<string, unknown>;

interface Payer {
  acting: Api;
  agentId: string;
}

/** A Principal whose agent may pay USDC on base, up to 1000.00 per payment. */
async function newPayer(): Promise<Payer> {
  const body = onboardBody(tenant.programId, { max_amount_per_transaction: '1000.00' });
  const mandate = { rails: ['card', 'crypto'], crypto: { chains: ['base'], assets: ['USDC'] } };
  const created = expectStatus(
    await tenant.client.post('/api/v1/onboard', {
      ...body,
      mandate: { ...body.mandate, ...mandate },
    }),
    201,
  );
  const headers = { 'x-api-key': tenant.apiKey, 'x-principal-id': created.principal.id };
  return { acting: api(stack.baseUrl, headers), agentId: created.agent.id };
}

async function decided({ acting, agentId }: Payer, fields: Fields = {}): Promise<string> {
  const crypto = { chain: 'base', asset: 'USDC', counterparty: shop, value: '10.00' };
  const body = paymentBody(agentId, { rail: 'CRYPTO', crypto, ...fields });
  return expectStatus(await acting.post('/api/v1/authorize', body), 200).authorization_id;
}

function report({ acting }: Payer, authorization_id: string, fields: Fields) {
  return acting.post(settlements, { authorization_id, ...fields });
}

async function listed({ acting }: Payer, id: string): Promise<Fields[]> {
  return expectStatus(await acting.get(`${settlements}/${id}`), 200);
}

function becomes(by: Payer, id: string, status: string): Promise<Fields> {
  return until(
    async () => {
      const [first] = await listed(by, id);
      return first?.status === status && first;
    },
    { what: status, timeoutMs: 30_000 },
  );
}

async function outcomes({ acting }: Payer, id: string): Promise<Fields[]> {
  return expectStatus(await acting.get(`/api/v1/outcomes/${id}`), 200).data;
}

const shape = {
  id: is.id('stl'),
  authorization_id: is.id('auth'),
  chain: is.exactly('base'),
  tx_hash: is.text,
  status: is.oneOf('SUBMITTED', 'PENDING', 'SETTLED', 'FAILED'),
  confirmations: is.integer,
  block_number: is.orNull(is.integer),
  settled_at: is.orNull(is.time),
  created_at: is.time,
  required_confirmations: is.exactly(confirmations),
  failure_reason: is.orNull(is.text),
};

t.test('a transfer is SUBMITTED, PENDING, then SETTLED, and so is the outcome', async (t) => {
  const payer = await newPayer();
  const id = await decided(payer);
  const tx_hash = node.send(asked);
  const first = expectStatus(await report(payer, id, { tx_hash, value_raw: '10000000' }), 201);
  t.same(is.misfits(first, shape), []);
  t.match(first, { status: 'SUBMITTED', confirmations: 0, block_number: null, settled_at: null });
  const again = expectStatus(await report(payer, id, { tx_hash, chain: 'base' }), 200);
  t.equal(again.id, first.id, 'once for a transaction');
  node.mine(tx_hash);
  const pending = await becomes(payer, id, 'PENDING');
  t.match(pending, { id: first.id, confirmations: 1, settled_at: null });
  t.type(pending.block_number, 'number');
  t.same(await outcomes(payer, id), [], 'none before it is settled');
  for (let i = 1; i < confirmations; i += 1) node.mine();
  const settled = await becomes(payer, id, 'SETTLED');
  t.same(is.misfits(settled, { ...shape, settled_at: is.time }), []);
  t.equal(settled.block_number, pending.block_number);
  const recorded = await until(async () => {
    const all = await outcomes(payer, id);
    return all.length > 0 && all;
  });
  t.equal(recorded.length, 1);
  t.match(recorded[0], { outcome_type: 'SETTLED', reported_by: 'INTERNAL', settled_amount: 10 });
});

t.test(
  'what settled to the last digit of the asset is told so, alone and in the list',
  async (t) => {
    const payer = await newPayer();
    const id = await decided(payer);
    const tx_hash = node.send({ ...asked, value: 1_234_567n });
    expectStatus(await report(payer, id, { tx_hash }), 201);
    node.mine(tx_hash);
    for (let i = 1; i < confirmations; i += 1) node.mine();
    await becomes(payer, id, 'SETTLED');
    const [recorded] = await until(async () => {
      const all = await outcomes(payer, id);
      return all.length > 0 && all;
    });
    t.match(recorded, { settled_amount: 1.234567, settled_currency: 'USD' });
    const again = await payer.acting.post('/api/v1/outcomes', {
      authorization_id: id,
      outcome_type: 'SETTLED',
      reported_at: new Date().toISOString(),
      reported_by: 'MERCHANT',
    });
    t.has(expectStatus(again, 200), { id: recorded?.id, settled_amount: '1.234567' });
    for (const digits of [tx_hash.slice(2), tx_hash.slice(2).toUpperCase()]) {
      const byHash = await payer.acting.post('/api/v1/outcomes', {
        tx_hash: `0x${digits}`,
        outcome_type: 'SETTLED',
        reported_at: new Date().toISOString(),
        reported_by: 'MERCHANT',
      });
      t.match(expectStatus(byHash, 200), { id: recorded?.id }, 'found by its hash in any case');
    }
  },
);

t.test('one that is in a block when it is reported is looked at at once', async (t) => {
  const payer = await newPayer();
  const id = await decided(payer);
  const tx_hash = node.send(asked);
  node.mine(tx_hash);
  t.match(expectStatus(await report(payer, id, { tx_hash }), 201), { status: 'PENDING' });
  const later = node.send(asked);
  const second = expectStatus(await report(payer, id, { tx_hash: later }), 201);
  const all = await listed(payer, id);
  t.same(
    all.map((each) => each.tx_hash),
    [tx_hash, later],
    'oldest first',
  );
  t.same(is.misfits(all, is.listOf(shape)), []);
  t.equal(all[1]?.id, second.id);
});

t.test('what the chain or the approval does not bear out has FAILED', async (t) => {
  const rows: Array<[name: string, transfer: Fields]> = [
    ['reverted', { reverted: true }],
    ['to another', { to: wallet }],
    ['more than was approved', { value: 10_000_001n }],
  ];
  for (const [name, transfer] of rows) {
    const payer = await newPayer();
    const id = await decided(payer);
    const tx_hash = node.send({ ...asked, ...transfer });
    expectStatus(await report(payer, id, { tx_hash }), 201);
    node.mine(tx_hash);
    for (let i = 1; i < confirmations; i += 1) node.mine();
    const failed = await becomes(payer, id, 'FAILED');
    t.type(failed.failure_reason, 'string', name);
    if (name !== 'reverted') t.equal(failed.failure_reason, 'TRANSFER_MISMATCH', name);
    t.same(await outcomes(payer, id), [], name);
  }
});

t.test('only what was approved, by whom it is, once', async (t) => {
  const payer = await newPayer();
  const id = await decided(payer);
  const entry = expectStatus(await payer.acting.get(`/api/v1/authorize/log/${id}`), 200);
  const operation = { from_address: null, operation: 'transfer' };
  const approved = { chain: 'base', asset: 'USDC', counterparty: shop, value: '10' };
  t.same(entry.crypto, { ...approved, ...operation }, 'on record, for whoever sends it');
  const tx_hash = node.send(asked);
  const sibling = await newPayer();
  const stranger = await newSpender(stack, await newTenant(stack));
  const live = await newSpender(stack, await newTenant(stack, 'live'));
  const badRequest = { status: 400, body: { error: { code: 'BAD_REQUEST' } } };
  for (const each of [sibling, stranger]) t.match(await report(each, id, { tx_hash }), badRequest);
  const unapproved = [
    await decided(payer, { rail: 'CARD', crypto: undefined }),
    await decided(payer, { amount: '1000.01' }),
    await decided(payer, { amount: '666.02' }),
    'auth_01k5a3v7q8e9f0g1h2j3k4m5n6',
  ];
  for (const each of unapproved) t.match(await report(payer, each, { tx_hash }), badRequest);
  expectStatus(await report(payer, id, { tx_hash }), 201);
  t.match(await report(payer, await decided(payer), { tx_hash }), badRequest, 'another payment');
  t.equal((await report(live, id, { tx_hash })).status, 403, 'no chain in that environment');
  const rows: Fields[] = [
    { tx_hash: undefined },
    { tx_hash: tx_hash.slice(2) },
    { chain: 'unknown' },
    { from_address: 'x' },
    { to_address: '0x1' },
    { value_raw: '1.5' },
    { value_raw: 1 },
  ];
  for (const fields of rows) {
    const answer = await report(payer, id, { tx_hash, ...fields });
    t.match(answer, { status: 422, body: { error: { code: 'VALIDATION_ERROR' } } });
  }
  t.equal((await sibling.acting.get(`${settlements}/${id}`)).status, 403);
  t.equal((await stranger.acting.get(`${settlements}/${id}`)).status, 404);
});

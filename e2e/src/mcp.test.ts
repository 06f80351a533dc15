/** The MCP server as a model uses it: a real MCP client over stdio, and the whole installation. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from '@countersign/runtime/testing';
import t, { type Test } from 'tap';
import { startInstallation } from './contract-proxy.js';
import { type Model, startModel } from './model.js';
import { patience } from './patience.js';
import { expectStatus, newSpender, newTenant, paymentBody, type Spender } from './tenant.js';

// Unavailable services are waited for, on a machine that may be busy with other tests.
t.setTimeout(600_000);
const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0' },
  seed: false,
});
t.teardown(() => stack.stop());
const tenant = await newTenant(stack);

const environment = ({ agentId, principalId }: Spender, more: Record<string, string> = {}) => ({
  COUNTERSIGN_URL: stack.baseUrl,
  COUNTERSIGN_API_KEY: tenant.apiKey,
  COUNTERSIGN_AGENT_ID: agentId,
  COUNTERSIGN_PRINCIPAL_ID: principalId,
  ...more,
});

/** A server for this agent, which ends with the test. */
async function open(t: Test, spender: Spender, more?: Record<string, string>): Promise<Model> {
  const model = await startModel(environment(spender, more));
  t.teardown(() => model.client.close());
  return model;
}

async function modelOf(t: Test, limits: Record<string, unknown> = {}) {
  const most = { max_amount_per_transaction: '1000.00', max_daily_amount: '2000.00' };
  const spender = await newSpender(stack, tenant, { ...most, ...limits });
  return { spender, ...(await open(t, spender)) };
}

const books = {
  task_reference: 'order-1001',
  merchant_name: 'Example Books',
  amount: '19.90',
  currency: 'USD',
};

async function usedToday({ acting, mandateId }: Spender): Promise<string> {
  return expectStatus(await acting.get(`/api/v1/mandates/${mandateId}/budget`), 200).day
    .amount_used;
}

async function decisionsOf({ acting, agentId }: Spender): Promise<string[]> {
  const page = expectStatus(await acting.get(`/api/v1/authorize/log/agent/${agentId}`), 200);
  return page.data.map(({ decision }: { decision: string }) => decision);
}

const stepUp = (id: string, answer: string) => `/api/v1/authorize/step-up/${id}/${answer}`;

t.test('the tools say what they are for, and none lets a model choose an agent', async (t) => {
  const { client, spender, call } = await modelOf(t);
  const { tools } = await client.listTools();
  const names = ['request_payment', 'spending_limits', 'payment_status', 'reverse_payment'];
  t.same(
    tools.map(({ name }) => name),
    names,
  );
  for (const { name, inputSchema, description = '' } of tools) {
    t.equal(inputSchema.additionalProperties, false, name);
    t.notMatch(Object.keys(inputSchema.properties ?? {}).join(), /agent|key|principal|url/, name);
    t.ok(description.length > 80, name);
  }
  t.match(client.getInstructions(), /may_pay/);
  const other = await call('request_payment', { ...books, agent_id: 'agt_other' });
  t.ok(other.isError, 'an agent of its own choice is refused');
  t.same(await decisionsOf(spender), []);
  const careful = await open(t, spender, { COUNTERSIGN_REVERSALS: 'off' });
  const offered = (await careful.client.listTools()).tools.map(({ name }) => name);
  t.same(offered, names.slice(0, 3));
});

t.test('a payment that is asked for again by accident is paid once', async (t) => {
  const { spender, call } = await modelOf(t);
  const first = await call('request_payment', { ...books, reason: 'The cheapest of three.' });
  t.notOk(first.isError);
  t.match(first.data, { may_pay: true, decision: 'APPROVE', repeated: false, reasons: [] });
  t.match(first.text, /APPROVE.*19\.90 USD[\s\S]*Pay exactly 19\.90 USD, once/);
  const { authorization_id } = first.data;
  const same = { data: { may_pay: true, repeated: true, authorization_id } };
  t.match(await call('request_payment', { ...books, reason: 'The cheapest of three.' }), same);
  t.match(await call('request_payment', books), same, 'in other words');
  const left = ['reason', 'merchant_id', 'mcc', 'country', 'crypto', 'payment_number'];
  const nulls = Object.fromEntries(left.map((name) => [name, null]));
  t.match(await call('request_payment', { ...books, ...nulls }), same, 'with null for the rest');
  const restarted = await open(t, spender);
  const more = { mcc: '5942', merchant_id: 'm-1' };
  const loosely = { ...books, ...more, task_reference: 'Order-1001', amount: '19.9' };
  const again = await restarted.call('request_payment', loosely);
  t.match(again, same, 'by a server that knows nothing of the first');
  t.match(again.text, /not an additional one[\s\S]*payment_number/);
  t.equal(await usedToday(spender), '19.90');
  const second = await call('request_payment', { ...books, payment_number: 2 });
  t.match(second.data, { may_pay: true, repeated: false });
  t.equal(await usedToday(spender), '39.80', 'one that is really meant is another payment');
});

t.test('an amount has the decimals of its currency from the first answer on', async (t) => {
  const { call } = await modelOf(t, { max_amount_per_transaction: '50.00' });
  const round = { ...books, amount: '25' };
  const first = await call('request_payment', round);
  t.has(first.data, { amount: '25.00', given_back: '0.00', repeated: false });
  t.match(first.text, /Pay exactly 25\.00 USD, once/);
  const { repeated, next_step, ...told } = first.data;
  t.match((await call('request_payment', round)).data, { ...told, repeated: true });
  const dear = await call('request_payment', { ...books, amount: '60' });
  t.has(dear.data, { decision: 'DECLINE', amount: '60.00' });
});

t.test('an approved transfer is told as what may be sent, now and later', async (t) => {
  const { spender, call } = await modelOf(t);
  const mandate = {
    agent_id: spender.agentId,
    max_amount_per_transaction: '100.00',
    valid_until: new Date(Date.now() + 86_400_000).toISOString(),
    ...{ allowed_chains: ['base'], allowed_assets: ['ETH'] },
  };
  expectStatus(await spender.acting.post('/api/v1/mandates', mandate), 201);
  const crypto = { chain: 'base', asset: 'ETH', counterparty: '0xbb', value: '0.01' };
  const { data, text } = await call('request_payment', { ...books, crypto });
  t.has(data, { may_pay: true, amount: '19.90', currency: 'USD' });
  t.same(data.transfer, crypto);
  t.match(text, /Send exactly 0\.01 ETH on base to 0xbb, once/);
  const { authorization_id } = data;
  t.same((await call('payment_status', { authorization_id })).data.transfer, crypto);
});

t.test('calls at the same time are one payment', async (t) => {
  const { spender, call } = await modelOf(t);
  const calls = Array.from({ length: 8 }, () => call('request_payment', books));
  const said = await Promise.all(calls);
  t.ok(said.every(({ data }) => data.may_pay));
  t.equal(new Set(said.map(({ data }) => data.authorization_id)).size, 1);
  t.equal(said.filter(({ data }) => !data.repeated).length, 1);
  t.equal(await usedToday(spender), '19.90');
});

t.test(
  'a merchant under two spellings is paid once, and another one not by its approval',
  async (t) => {
    const { spender, call } = await modelOf(t);
    const shop = { ...books, merchant_id: 'm-1' };
    const spellings = ['Example Books', 'EXAMPLE BKS*1001', 'Example Books Ltd.', 'example.com'];
    const calls = spellings.map((name) =>
      call('request_payment', { ...shop, merchant_name: name }),
    );
    const said = await Promise.all(calls);
    t.ok(said.every(({ data }) => data?.may_pay));
    t.equal(new Set(said.map(({ data }) => data?.authorization_id)).size, 1, 'also at once');
    t.equal(await usedToday(spender), '19.90');
    const museum = { ...books, merchant_name: 'Museum', merchant_id: 'm-2' };
    const elsewhere = await call('request_payment', museum);
    t.match(elsewhere.data, { may_pay: false, decision: 'APPROVE', repeated: true });
    t.match(elsewhere.text, /another merchant: do not pay[\s\S]*payment_number/);
    t.equal(await usedToday(spender), '19.90');
    const meant = await call('request_payment', { ...museum, payment_number: 2 });
    t.match(meant.data, { may_pay: true, repeated: false });
    t.equal(await usedToday(spender), '39.80');
  },
);

t.test('what a backend gave back in part may no longer be paid', async (t) => {
  const { spender, call } = await modelOf(t);
  const { data } = await call('request_payment', books);
  const { authorization_id } = data;
  const part = { authorization_id, amount: '5.00' };
  expectStatus(await spender.acting.post('/api/v1/authorize/reverse', part), 200);
  const rest = { may_pay: true, amount: '14.90', given_back: '5.00', reversed: false };
  t.match((await call('payment_status', { authorization_id })).data, rest);
  const again = await call('request_payment', books);
  t.match(again.data, { ...rest, repeated: true, authorization_id });
  const respelled = await call('request_payment', { ...books, merchant_id: 'm-1' });
  t.match(respelled.data, { ...rest, repeated: true }, 'with all its decimals in other words too');
  t.notMatch(again.text, /19\.90/);
});

t.test('a refusal is no error, says what would pass, and is asked for anew', async (t) => {
  const { spender, call } = await modelOf(t, { max_amount_per_transaction: '50.00' });
  const dear = { ...books, amount: '60.00' };
  const refused = await call('request_payment', dear);
  t.notOk(refused.isError);
  t.match(refused.data, {
    may_pay: false,
    decision: 'DECLINE',
    reasons: [{ code: 'AMOUNT_EXCEEDS_PER_TXN', retry: 'change_request' }],
  });
  t.match(
    refused.text,
    /do not pay[\s\S]*50\.00 USD[\s\S]*AMOUNT_EXCEEDS_PER_TXN[\s\S]*What to do/,
  );
  t.match((await call('request_payment', dear)).data, { decision: 'DECLINE', repeated: false });
  const mandate = {
    agent_id: spender.agentId,
    valid_until: new Date(Date.now() + 86_400_000).toISOString(),
    max_amount_per_transaction: '100.00',
  };
  expectStatus(await spender.acting.post('/api/v1/mandates', mandate), 201);
  t.match((await call('request_payment', dear)).data, { may_pay: true, repeated: false });
  t.same(await decisionsOf(spender), ['APPROVE', 'DECLINE', 'DECLINE']);
});

t.test('a model that does not listen is stopped', async (t) => {
  const { spender, call } = await modelOf(t, { max_amount_per_transaction: '50.00' });
  const dear = { ...books, amount: '60.00' };
  for (let i = 0; i < 8; i += 1) await call('request_payment', dear);
  const said = await call('request_payment', dear);
  t.match(said.data, { may_pay: false, repeated: true });
  t.match(said.text, /8 times/);
  t.equal((await decisionsOf(spender)).length, 8);
});

t.test('what takes a human waits for one, and no tool takes its place', async (t) => {
  const { spender, call } = await modelOf(t);
  const unusual = { ...books, amount: '666.02' };
  const asked = await call('request_payment', unusual);
  const confirmation = { status: 'PENDING', expires_at: /Z$/ };
  t.match(asked.data, { may_pay: false, decision: 'STEP_UP', confirmation });
  const { authorization_id } = asked.data;
  const look = () => call('payment_status', { authorization_id });
  t.match((await look()).data, { may_pay: false, confirmation: { status: 'PENDING' } });
  t.match((await call('request_payment', unusual)).data, { repeated: true, authorization_id });
  expectStatus(await spender.acting.post(stepUp(authorization_id, 'confirm')), 200);
  const confirmed = { may_pay: true, decision: 'APPROVE', authorization_id };
  t.match((await look()).data, confirmed);
  t.match((await call('request_payment', unusual)).data, { ...confirmed, repeated: true });

  const other = { ...unusual, task_reference: 'order-1002' };
  const { data } = await call('request_payment', other);
  expectStatus(await spender.acting.post(stepUp(data.authorization_id, 'deny'), {}), 200);
  const denied = await call('request_payment', other);
  t.match(denied.data, { may_pay: false, repeated: true, decision: 'DECLINE' });
  t.match(denied.text, /A human has denied/);
  t.equal((await decisionsOf(spender)).length, 2, 'and it is not asked for anew');
});

t.test('a reversed payment can be requested again', async (t) => {
  const { spender, call } = await modelOf(t);
  const { data } = await call('request_payment', books);
  const { authorization_id } = data;
  const back = await call('reverse_payment', { authorization_id, reason: 'Out of stock' });
  t.has(back.data, { reversed: true, already_reversed: false, released_amount: '19.90' });
  t.match((await call('reverse_payment', { authorization_id })).data, { already_reversed: true });
  t.equal(await usedToday(spender), '0.00');
  t.match((await call('payment_status', { authorization_id })).data, {
    may_pay: false,
    reversed: true,
  });
  const again = await call('request_payment', books);
  t.match(again.data, { may_pay: true, repeated: false });
  t.not(again.data.authorization_id, authorization_id);
  t.match((await call('request_payment', books)).data, {
    repeated: true,
    authorization_id: again.data.authorization_id,
  });
});

t.test('an outage says nothing of what was approved before it', async (t) => {
  const { spender, call } = await modelOf(t);
  const { data } = await call('request_payment', books);
  await stack.stopProcess('ledger');
  const during = await call('request_payment', books);
  t.notOk(during.data?.may_pay);
  t.match(during.text, /do not pay/);
  await stack.startProcess('ledger');
  const { authorization_id } = data;
  const after = await until(
    async () => {
      const said = await call('request_payment', books);
      return said.data?.may_pay && said.data;
    },
    { timeoutMs: 60_000, what: 'the first approval' },
  );
  t.match(after, { repeated: true, authorization_id });
  t.equal(await usedToday(spender), '19.90');
});

t.test('the payments of another agent are none of its business', async (t) => {
  const { spender, call } = await modelOf(t);
  const name = { name: 'Sibling' };
  const agents = `/api/v1/principals/${spender.principalId}/agents`;
  const sibling = expectStatus(await tenant.client.post(agents, name), 201);
  expectStatus(
    await tenant.client.post(`/api/v1/agents/${sibling.id}/mandates`, {
      rails: ['card'],
      limits: { max_amount_per_transaction: '50.00', max_daily_amount: '50.00' },
    }),
    201,
  );
  const paid = await spender.acting.post('/api/v1/authorize', paymentBody(sibling.id));
  const { authorization_id } = expectStatus(paid, 200);
  for (const tool of ['payment_status', 'reverse_payment']) {
    const said = await call(tool, { authorization_id });
    t.match(said, { isError: true, text: /no authorization with that id/ }, tool);
    const unknown = await call(tool, { authorization_id: 'auth_01k5a3v7q8e9f0g1h2j3k4m5n6' });
    t.match(
      unknown,
      { isError: true, text: /no authorization with that id/ },
      'like one of nobody',
    );
  }
  const entry = await spender.acting.get(`/api/v1/authorize/log/${authorization_id}`);
  t.equal(expectStatus(entry, 200).reversed_amount, '0.00');
});

t.test('what may be spent is told in words and figures', async (t) => {
  const { spender, call } = await modelOf(t, { max_amount_per_transaction: '50.00' });
  await call('request_payment', books);
  const said = await call('spending_limits');
  t.has(said.data, {
    agent_status: 'ACTIVE',
    mandates: [
      {
        mandate_id: spender.mandateId,
        per_payment: '50.00',
        today: { limit: '2000.00', left: '1980.10', payments_left: null },
        this_month: { limit: null, left: null },
        only: {},
      },
    ],
  });
  t.match(
    said.text,
    /At most 50\.00 USD per payment; 1980\.10 of 2000\.00 USD left today, no limit/,
  );
  const most = { max_amount_per_transaction: '5000', max_daily_amount: '9000' };
  const yen = await newSpender(stack, tenant, { ...most, currency: 'JPY' });
  const inYen = await (await open(t, yen)).call('spending_limits');
  t.has(inYen.data.mandates, [{ currency: 'JPY', per_payment: '5000' }], 'each as its currency');
  const suspend = { body: { status: 'SUSPENDED', reason: 'Test' } };
  const path = `/api/v1/agents/${spender.agentId}/status`;
  expectStatus(await spender.acting.call('PATCH', path, suspend), 200);
  t.match(await call('spending_limits'), { text: /SUSPENDED: it may not spend anything/ });
  const refused = await call('request_payment', { ...books, task_reference: 'order-1002' });
  t.match(refused.data, { reasons: [{ code: 'AGENT_SUSPENDED', retry: 'after_human' }] });
});

t.test('without an answer nothing is approved, and no secret is told', async (t) => {
  const { spender } = await modelOf(t);
  const away = await open(t, spender, { COUNTERSIGN_URL: 'http://127.0.0.1:9' });
  t.match(await away.call('request_payment', books), { isError: true, text: /do not pay/ });
  const wrongKey = `svc_test_${'x'.repeat(49)}`;
  const stranger = await open(t, spender, { COUNTERSIGN_API_KEY: wrongKey });
  const said = await stranger.call('request_payment', books);
  t.match(said, { isError: true, text: /Tell the user/ });
  t.notMatch(said.text, wrongKey);
  const nobody = { COUNTERSIGN_AGENT_ID: 'agt_01k5a3v7q8e9f0g1h2j3k4m5n6' };
  const mistaken = await open(t, spender, nobody);
  t.match(await mistaken.call('spending_limits'), { isError: true, text: /COUNTERSIGN_AGENT_ID/ });
  const invalid = await away.call('request_payment', { ...books, amount: 19.9 });
  t.match(invalid, { isError: true, text: /amount/ });

  const program = fileURLToPath(new URL('../../packages/mcp/dist/main.js', import.meta.url));
  const env = environment(spender, { COUNTERSIGN_API_KEY: `${wrongKey}\n` });
  const { status, stderr, stdout } = spawnSync(process.execPath, [program], {
    env,
    timeout: 30_000,
  });
  t.equal(status, 1);
  t.match(stderr.toString(), /COUNTERSIGN_API_KEY/);
  t.notMatch(`${stderr}${stdout}`, wrongKey);
});

/** One payment traced from its caller to its webhook, and what a trace must never contain. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@countersign/runtime/testing';
import { type Collector, startCollector } from '@countersign/runtime/testing/collector';
import type { ReceivedSpan } from '@countersign/runtime/testing/otlp';
import { startStack } from '@countersign/tools/stack';
import pg from 'pg';
import t from 'tap';
import { startChainNode, token } from './chain-node.js';
import { patience } from './patience.js';
import { hangUp, startReceiver } from './receiver.js';
import { expectStatus, newSpender, newTenant, onboardBody, paymentBody } from './tenant.js';

const secret = 'collector-key-of-the-operator';
const receiver = await startReceiver();
const collector = await startCollector();
const node = await startChainNode(8453);
const base = {
  name: 'base',
  chain_id: 8453,
  rpc_urls: [node.url],
  confirmations: 2,
  assets: { USDC: { contract: token, decimals: 6 } },
};
const stack = await startStack({
  env: {
    ...patience,
    RATE_LIMIT_MULTIPLIER: '0',
    WEBHOOK_ALLOWED_HOSTS: receiver.host,
    WEBHOOK_RETRY_BASE_MS: '30',
    CHAINS_SANDBOX: JSON.stringify([base]),
    CHAIN_POLL_MS: '50',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${secret}`,
    OTEL_TRACES_SAMPLER: 'always_on',
  },
  seed: false,
});
t.teardown(async () => {
  await stack.stop();
  await Promise.all([receiver.close(), collector.close(), node.close()]);
});
const tenant = await newTenant(stack);
const patient = { timeoutMs: 30_000 };

function newTrace() {
  const traceId = randomUUID().replaceAll('-', '');
  return { traceId, header: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } };
}

/** The spans of one trace, once all the named ones have arrived. */
function spansOf(traceId: string, names: string[], from: Collector = collector) {
  return until(
    () => {
      const spans = from.spans.filter((span) => span.traceId === traceId);
      const all = names.every((name) => spans.some((span) => span.name === name));
      return all && spans;
    },
    { ...patient, what: `${names.join(', ')} in ${traceId}` },
  );
}

function only(spans: readonly ReceivedSpan[], service: string, name: string): ReceivedSpan {
  const found = spans.filter((span) => span.service === service && span.name === name);
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} of ${service} ${name}`);
  return found[0];
}

const wayOfAPayment: ReadonlyArray<readonly [service: string, name: string, parent: string]> = [
  ['gateway', 'authenticate', 'gateway POST /api/v1/authorize'],
  ['gateway', 'read body', 'gateway POST /api/v1/authorize'],
  ['gateway', 'idempotency', 'gateway POST /api/v1/authorize'],
  ['gateway', 'countersign.decision.v1.Decision/Authorize', 'gateway POST /api/v1/authorize'],
  [
    'decision',
    'countersign.decision.v1.Decision/Authorize',
    'gateway countersign.decision.v1.Decision/Authorize',
  ],
  ...[
    'countersign.identity.v1.Identity/GetSpendingFacts',
    'read stored state',
    'count recent decisions',
    'evaluate',
    'sign',
    'countersign.ledger.v1.Ledger/Commit',
  ].map(
    (name) => ['decision', name, 'decision countersign.decision.v1.Decision/Authorize'] as const,
  ),
  [
    'identity',
    'countersign.identity.v1.Identity/GetSpendingFacts',
    'decision countersign.identity.v1.Identity/GetSpendingFacts',
  ],
  ['ledger', 'countersign.ledger.v1.Ledger/Commit', 'decision countersign.ledger.v1.Ledger/Commit'],
  ['ledger', 'commit to PostgreSQL', 'ledger countersign.ledger.v1.Ledger/Commit'],
  ['decision', 'process authorization.recorded', 'ledger countersign.ledger.v1.Ledger/Commit'],
  ['notifier', 'process authorization.recorded', 'ledger countersign.ledger.v1.Ledger/Commit'],
  ['notifier', 'deliver webhook', 'notifier process authorization.recorded'],
];

t.test('one payment is one trace, from its caller to its webhook', async (t) => {
  const spender = await newSpender(stack, tenant);
  const { acting, agentId } = spender;
  const hook = { url: receiver.url, event_types: ['*'] };
  expectStatus(await acting.post('/api/v1/webhooks', hook), 201);
  // The first payment takes one more round, in which decision learns the epoch of the ledger.
  const other = await newSpender(stack, tenant);
  expectStatus(await other.acting.post('/api/v1/authorize', paymentBody(other.agentId)), 200);
  const { traceId, header: headers } = newTrace();
  const body = paymentBody(agentId, { amount: '600.00', merchant_name: 'Quiet Harbour Books' });
  const answer = await acting.post('/api/v1/authorize', body, { headers });
  t.match(expectStatus(answer, 200), { decision: 'DECLINE' });

  const spans = await spansOf(traceId, ['deliver webhook', 'POST /api/v1/authorize']);
  const all = await until(() => {
    const now = collector.spans.filter((span) => span.traceId === traceId);
    return now.length > wayOfAPayment.length && now;
  }, patient);
  const root = only(spans, 'gateway', 'POST /api/v1/authorize');
  t.match(root, {
    parentId: '00f067aa0ba902b7',
    kind: 2,
    failed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/v1/authorize',
      'http.response.status_code': 200,
      'countersign.environment': 'sandbox',
      'countersign.authorization.id': answer.body.authorization_id,
      'countersign.decision': 'DECLINE',
      'countersign.reason_codes': ['AMOUNT_EXCEEDS_PER_TXN'],
    },
  });
  const ids = new Map(all.map((span) => [`${span.service} ${span.name}`, span]));
  for (const [service, name, parent] of wayOfAPayment) {
    const { parentId } = only(all, service, name);
    t.equal(parentId, ids.get(parent)?.spanId, `${service} ${name} within ${parent}`);
  }
  t.equal(all.length, wayOfAPayment.length + 1, 'and no other');
  t.match(only(all, 'ledger', 'commit to PostgreSQL').attributes, {
    'db.system.name': 'postgresql',
    'countersign.batch.size': 1,
    'countersign.commit.outcome': 'recorded',
  });
  t.match(only(all, 'notifier', 'deliver webhook').attributes, {
    'http.response.status_code': 200,
    'countersign.delivery.attempt': 1,
    'countersign.webhook.event': 'authorization.decline',
  });
  const decided = only(all, 'decision', 'countersign.decision.v1.Decision/Authorize');
  t.equal(decided.attributes['countersign.agent.id'], agentId);
  t.equal(collector.headers['x-collector-key'], secret);
  const [delivered] = receiver.deliveries;
  t.notOk(Object.keys(delivered?.headers ?? {}).some((name) => name.startsWith('trace')));
  t.notOk(delivered?.raw.includes(traceId), 'customers are told of no trace');
  for (const service of ['gateway'] as const) {
    const file = join(stack.logFolder, `${service}.log`);
    const lines = await until(() => {
      const found = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.includes(traceId));
      return found.length > 0 && found;
    }, patient);
    t.ok(lines.every((line) => JSON.parse(line).trace_id === traceId));
  }
});

t.test('an attempt after a restart is in the same trace', async (t) => {
  const { acting, agentId } = await newSpender(stack, tenant);
  const hook = { url: receiver.url, event_types: ['authorization.decline'] };
  expectStatus(await acting.post('/api/v1/webhooks', hook), 201);
  receiver.answerWith(hangUp);
  const { traceId, header: headers } = newTrace();
  const body = paymentBody(agentId, { amount: '600.00' });
  expectStatus(await acting.post('/api/v1/authorize', body, { headers }), 200);
  await until(() => receiver.deliveries.some(({ raw }) => raw.includes(agentId)), patient);
  stack.kill('notifier', 'SIGKILL');
  receiver.answerWith(200);
  await stack.untilReady('notifier');
  const last = await until(
    () =>
      collector.spans.find(
        ({ traceId: id, attributes }) =>
          id === traceId && attributes['countersign.delivery.outcome'] === 'delivered',
      ),
    patient,
  );
  t.equal(last.service, 'notifier');
});

t.test('what comes of a settlement is in the trace of its report', async (t) => {
  const plain = onboardBody(tenant.programId);
  const mandate = { rails: ['card', 'crypto'], crypto: { chains: ['base'], assets: ['USDC'] } };
  const onboarding = { ...plain, mandate: { ...plain.mandate, ...mandate } };
  const created = expectStatus(await tenant.client.post('/api/v1/onboard', onboarding), 201);
  const acting = { headers: { 'x-principal-id': created.principal.id } };
  const from = `0x${'a1'.repeat(20)}`;
  const to = `0x${'5b'.repeat(20)}`;
  const crypto = {
    chain: 'base',
    asset: 'USDC',
    counterparty: to,
    from_address: from,
    value: '10',
  };
  const body = paymentBody(created.agent.id, { rail: 'CRYPTO', crypto });
  const decided = expectStatus(await tenant.client.post('/api/v1/authorize', body, acting), 200);
  t.equal(decided.decision, 'APPROVE');
  const tx_hash = node.send({ from, to, value: 10_000_000n });
  const { traceId, header } = newTrace();
  const report = { authorization_id: decided.authorization_id, chain: 'base', tx_hash };
  const headers = { ...acting.headers, ...header };
  const settlements = '/api/v1/crypto/settlements';
  expectStatus(await tenant.client.post(settlements, report, { headers }), 201);
  node.mine(tx_hash);
  await until(
    () =>
      collector.spans.some(({ traceId: id, name }) => id === traceId && name === 'check the chain'),
    patient,
  );
  node.mine();
  node.mine();
  const spans = await spansOf(traceId, ['report the outcome', `POST ${settlements}`]);
  const checks = spans.filter(({ name }) => name === 'check the chain');
  const statuses = checks.map(({ attributes }) => attributes['countersign.settlement.status']);
  t.same(statuses, ['PENDING', 'SETTLED'], 'only checks that changed the status');
  const told = only(spans, 'settlement', 'report the outcome');
  t.equal(told.attributes['countersign.authorization.id'], decided.authorization_id);
  t.ok(spans.some(({ parentId, name }) => parentId === told.spanId && /RecordOutcomes/.test(name)));
});

t.test('a malformed traceparent begins a trace of its own', async (t) => {
  const { acting, agentId } = await newSpender(stack, tenant);
  const { traceId } = newTrace();
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01-and-more` };
  const answer = await acting.post('/api/v1/authorize', paymentBody(agentId), { headers });
  const id = expectStatus(answer, 200).authorization_id;
  const root = await until(
    () =>
      collector.spans.find(
        ({ name, attributes }) =>
          name === 'POST /api/v1/authorize' && attributes['countersign.authorization.id'] === id,
      ),
    patient,
  );
  t.equal(root.parentId, '');
  t.not(root.traceId, traceId);
});

t.test('a collector that hangs or is away delays no payment', async (t) => {
  const { acting, agentId } = await newSpender(stack, tenant);
  const pay = async (count: number): Promise<void> => {
    const answers = Array.from({ length: count }, () =>
      acting.post('/api/v1/authorize', paymentBody(agentId, { idempotency_key: randomUUID() })),
    );
    for (const answer of await Promise.all(answers)) {
      t.notOk(expectStatus(answer, 200).reason_codes.includes('SYSTEM_FAIL_SAFE'));
    }
  };
  collector.behave('hang');
  const before = collector.exports;
  await pay(20);
  await until(() => collector.exports > before, { ...patient, what: 'an export that hangs' });
  await pay(20);
  collector.behave('refuse');
  await pay(20);
  collector.behave('take');
});

/** All permitted span attributes; none contains a value chosen by a caller. */
const said = new Set([
  ...['http.request.method', 'http.route', 'http.response.status_code', 'error.type'],
  ...['rpc.system', 'rpc.service', 'rpc.method', 'db.system.name', 'db.operation.name'],
  ...['messaging.system', 'messaging.operation.type'],
  ...['messaging.destination.name', 'messaging.message.id'],
  ...[
    ...['environment', 'authorization.id', 'agent.id', 'decision', 'reason_codes', 'replayed'],
    ...['commit.outcome', 'batch.size', 'webhook.id', 'webhook.event', 'chain'],
    ...['delivery.id', 'delivery.attempt', 'delivery.outcome'],
    ...['settlement.id', 'settlement.status', 'settlement.confirmations'],
  ].map((name) => `countersign.${name}`),
]);

t.test('no span says a secret, an amount, an address, a name or who pays', (t) => {
  const { spans } = collector;
  t.ok(spans.length > 100, `${spans.length} spans`);
  const texts = spans.map((span) => JSON.stringify(span));
  const forbidden = [
    ...[secret, tenant.apiKey, stack.adminKey, receiver.host, node.url],
    ...['Harbour', 'Corner Shop', 'Ada', 'ada@example.com', 'TASK-1', 'Shopper', '600.00'],
    ...['a1a1a1', '5b5b5b', 'prn_', 'cli_', 'acr_', 'whsec_', 'svc_', '127.0.0.1', 'req_'],
  ];
  for (const text of forbidden) {
    const found = texts.find((span) => span.includes(text));
    t.equal(found, undefined, text);
  }
  const names = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)));
  t.same(
    [...names].filter((name) => !said.has(name)),
    [],
  );
  t.same([...new Set(spans.map(({ statusMessage }) => statusMessage))], ['']);
  t.end();
});

t.test('what is not sampled is told to nobody, whatever its caller asks for', async (t) => {
  const quiet = await startCollector();
  const other = await startStack({
    env: {
      ...patience,
      OTEL_EXPORTER_OTLP_ENDPOINT: quiet.url,
      OTEL_TRACES_SAMPLER_ARG: '0',
    },
    services: ['gateway', 'identity', 'decision', 'ledger'],
    seed: false,
  });
  t.teardown(async () => {
    await other.stop();
    await quiet.close();
  });
  const { acting, agentId } = await newSpender(other, await newTenant(other));
  const { header: headers } = newTrace();
  const body = paymentBody(agentId, { amount: '600.00' });
  expectStatus(await acting.post('/api/v1/authorize', body, { headers }), 200);
  const ledger = other.databases.find(
    ({ service, environment }) => service === 'ledger' && environment === 'sandbox',
  );
  const client = new pg.Client({ connectionString: ledger?.url });
  await client.connect();
  const { rows } = await client.query<{ payload: string }>('SELECT payload FROM outbox');
  await client.end();
  t.ok(rows.length > 0);
  t.notOk(rows.some(({ payload }) => payload.includes('traceparent')));
  // Ending processes flush their queues, so any span would have arrived by now.
  await other.stop();
  t.equal(quiet.exports, 0);
});

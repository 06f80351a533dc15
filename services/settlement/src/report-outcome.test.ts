import { Fault } from '@countersign/kernel/fault';
import type { RecordOutcomesRequestInput } from '@countersign/proto/ledger';
import type { CallOptions } from '@countersign/runtime/grpc-types';
import { createLog } from '@countersign/runtime/log';
import { until } from '@countersign/runtime/testing';
import { WakeSignal } from '@countersign/runtime/wake-signal';
import { test } from 'tap';
import { type OutcomeOptions, startOutcomeReporter } from './report-outcome.js';
import { leaseOutcomesSql, outcomeRecordedSql, releaseOutcomesSql } from './sql.js';

function settledRow(id: string) {
  return {
    ...{ id, authorizationId: id, clientId: 'cli_1', principalId: 'prn_1', chain: 'anvil' },
    ...{ txHash: '0x1', asset: 'USDC', currency: 'USD', settledRaw: '1', outcomeId: id },
    ...{ settledAt: new Date(0), trace: null },
  };
}

type Failing = (authorizationId: string) => unknown;

/** What is sent to the ledger, marked as recorded and released, in one batch of two. */
function startReporter(failing: Failing) {
  const due = [[settledRow('stl_1'), settledRow('stl_2')]];
  const sent: string[] = [];
  const asked: unknown[] = [];
  const recorded: string[] = [];
  const released: unknown[] = [];
  const query = async (sql: string, values: unknown[]) => {
    if (sql === outcomeRecordedSql) recorded.push(String(values[0]));
    if (sql === releaseOutcomesSql) released.push(values);
    return { rows: sql === leaseOutcomesSql ? (due.shift() ?? []) : [] };
  };
  const RecordOutcomes = async (request: RecordOutcomesRequestInput, call: CallOptions) => {
    const { tenant, reports = [] } = request;
    asked.push({ tenant, environment: call.environment });
    const [{ authorizationId = '' } = {}] = reports;
    sent.push(authorizationId);
    const error = await failing(authorizationId);
    if (error) throw error;
    return { results: [{ status: 'created' }] };
  };
  const loop = startOutcomeReporter({
    signal: new WakeSignal(),
    ...{ environment: 'sandbox', chains: [], clock: () => 0, pollMs: 1, tracer: null },
    log: createLog({ service: 'test', level: 'silent' }),
    pool: { query } as unknown as OutcomeOptions['pool'],
    ledger: { call: { RecordOutcomes } } as unknown as OutcomeOptions['ledger'],
  });
  return { loop, sent, recorded, released, asked };
}

/** Stops it once this many of the batch were sent. */
async function runReporter(failing: Failing, count = 2) {
  const { loop, ...seen } = startReporter(failing);
  await until(() => seen.sent.length >= count, { what: 'the first batch' });
  await loop.stop();
  return seen;
}

test('an outcome that the ledger cannot record does not block others', async (t) => {
  const failsForOne = (id: string) =>
    id === 'stl_1' && new Fault('internal', { code: 'INTERNAL_ERROR', message: 'for one' });
  const { sent, recorded } = await runReporter(failsForOne);
  t.same({ sent, recorded }, { sent: ['stl_1', 'stl_2'], recorded: ['stl_2'] });
});

test('if the ledger is unavailable, the rest of the batch is not sent', async (t) => {
  const unavailable = () =>
    new Fault('unavailable', { code: 'SERVICE_UNAVAILABLE', message: 'down' });
  const { sent, recorded, released } = await runReporter(unavailable, 1);
  t.same(
    { sent, recorded, released },
    { sent: ['stl_1'], recorded: [], released: [['stl_1', ['stl_2']]] },
  );
});

test('a reporter that stops sends no other outcome, and returns the rest', async (t) => {
  let answer = (_: null): void => {};
  const slow = new Promise<null>((resolve) => {
    answer = resolve;
  });
  const { loop, sent, recorded, released } = startReporter(() => slow);
  await until(() => sent.length, { what: 'the first outcome' });
  const stopped = loop.stop();
  answer(null);
  await stopped;
  t.same(
    { sent, recorded, released },
    { sent: ['stl_1'], recorded: ['stl_1'], released: [[null, ['stl_2']]] },
  );
});

test('an outcome is reported for its own tenant, in the environment of its payment', async (t) => {
  const own = { tenant: { clientId: 'cli_1', principalId: 'prn_1' }, environment: 'sandbox' };
  t.same((await runReporter(() => null)).asked, [own, own]);
});

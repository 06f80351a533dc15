import { Fault } from '@countersign/kernel/fault';
import type { RecordOutcomesRequestInput } from '@countersign/proto/ledger';
import type { CallOptions } from '@countersign/runtime/grpc-types';
import { createLog } from '@countersign/runtime/log';
import { until } from '@countersign/runtime/testing';
import { WakeSignal } from '@countersign/runtime/wake-signal';
import { test } from 'tap';
import { type OutcomeOptions, startOutcomeReporter } from './report-outcome.js';
import { leaseOutcomesSql, outcomeRecordedSql } from './sql.js';

function settledRow(id: string) {
  return {
    ...{ id, authorizationId: id, clientId: 'cli_1', principalId: 'prn_1', chain: 'anvil' },
    ...{ txHash: '0x1', asset: 'USDC', currency: 'USD', settledRaw: '1', outcomeId: id },
    ...{ settledAt: new Date(0), trace: null },
  };
}

/** What was sent to the ledger, and what was marked as recorded, in one batch of two. */
async function runReporter(failing: (authorizationId: string) => unknown) {
  const due = [[settledRow('stl_1'), settledRow('stl_2')]];
  const sent: string[] = [];
  const asked: unknown[] = [];
  const recorded: string[] = [];
  const query = async (sql: string, [id]: unknown[]) => {
    if (sql === outcomeRecordedSql) recorded.push(String(id));
    return { rows: sql === leaseOutcomesSql ? (due.shift() ?? []) : [] };
  };
  const RecordOutcomes = async (request: RecordOutcomesRequestInput, call: CallOptions) => {
    const { tenant, reports = [] } = request;
    asked.push({ tenant, environment: call.environment });
    const [{ authorizationId = '' } = {}] = reports;
    sent.push(authorizationId);
    const error = failing(authorizationId);
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
  await until(() => due.length === 0 && sent.length > 0, { what: 'the first batch' });
  await loop.stop();
  return { sent, recorded, asked };
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
  const { sent, recorded } = await runReporter(unavailable);
  t.same({ sent, recorded }, { sent: ['stl_1'], recorded: [] });
});

test('an outcome is reported for its own tenant, in the environment of its payment', async (t) => {
  const own = { tenant: { clientId: 'cli_1', principalId: 'prn_1' }, environment: 'sandbox' };
  t.same((await runReporter(() => null)).asked, [own, own]);
});

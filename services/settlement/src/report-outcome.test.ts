import { Fault } from '@countersign/kernel/fault';
import type { RecordOutcomesRequestInput } from '@countersign/proto/ledger';
import { createLog } from '@countersign/runtime/log';
import { until } from '@countersign/runtime/testing';
import { test } from 'tap';
import { type OutcomeOptions, startOutcomeReporter } from './report-outcome.js';

function settled(id: string) {
  return {
    ...{ id, authorizationId: id, clientId: 'cli_1', principalId: 'prn_1', chain: 'anvil' },
    ...{ txHash: '0x1', asset: 'USDC', currency: 'USD', transferredRaw: '1', outcomeId: id },
    ...{ settledAt: new Date(0), trace: null },
  };
}

/** What the ledger was told and what was written down of it, in one turn over two outcomes. */
async function toldOf(failing: (authorizationId: string) => unknown) {
  const due = [[settled('stl_1'), settled('stl_2')]];
  const told: string[] = [];
  const recorded: string[] = [];
  const query = async (_sql: string, [id]: unknown[]) => {
    if (typeof id === 'string') recorded.push(id);
    return { rows: typeof id === 'string' ? [] : (due.shift() ?? []) };
  };
  const RecordOutcomes = async ({ reports = [] }: RecordOutcomesRequestInput) => {
    const [{ authorizationId = '' } = {}] = reports;
    told.push(authorizationId);
    const error = failing(authorizationId);
    if (error) throw error;
    return { results: [{ status: 'created' }] };
  };
  const loop = startOutcomeReporter({
    ...{ environment: 'live', chains: [], clock: () => 0, pollMs: 1, tracer: null },
    log: createLog({ service: 'test', level: 'silent' }),
    pool: { query } as unknown as OutcomeOptions['pool'],
    ledger: { call: { RecordOutcomes } } as unknown as OutcomeOptions['ledger'],
  });
  await until(() => due.length === 0 && told.length > 0, { what: 'a turn' });
  await loop.stop();
  return { told, recorded };
}

test('an outcome that the ledger fails at holds up none of the others', async (t) => {
  const stumbling = (id: string) =>
    id === 'stl_1' && new Fault('internal', { code: 'INTERNAL_ERROR', message: 'at one' });
  t.same(await toldOf(stumbling), { told: ['stl_1', 'stl_2'], recorded: ['stl_2'] });
});

test('a ledger that is away is not asked for each of them', async (t) => {
  const away = () => new Fault('unavailable', { code: 'SERVICE_UNAVAILABLE', message: 'away' });
  t.same(await toldOf(away), { told: ['stl_1'], recorded: [] });
});

import { Fault } from '@countersign/kernel/fault';
import type { RecordOutcomesRequestInput } from '@countersign/proto/ledger';
import { createLog } from '@countersign/runtime/log';
import { until } from '@countersign/runtime/testing';
import { openTestPool } from '@countersign/runtime/testing/pool';
import { WakeSignal } from '@countersign/runtime/wake-signal';
import t, { test } from 'tap';
import { type OutcomeOptions, startOutcomeReporter } from '../report-outcome.js';

const pool = await openTestPool(t, 'settlement');
const log = createLog({ service: 'test', level: 'silent' });

async function insertSettled(ids: readonly string[]): Promise<void> {
  await pool.query(
    `INSERT INTO settlement (id, authorization_id, client_id, principal_id, chain, tx_hash, asset,
       counterparty, authorized_value, currency, required_confirmations, next_check_at, outcome_id,
       created_at, status, settled_at, transferred_raw, outcome_due)
     SELECT id, id, 'cli_1', 'prn_1', 'anvil', id, 'USDC', '0x5', 10, 'USD', 3, now(), id,
       now(), 'SETTLED', now() - interval '1 hour', 10000000, true
     FROM unnest($1::text[]) AS given (id)`,
    [ids],
  );
}

/** A ledger that never answers in time for these authorizations. */
function reporterWith(stuck: ReadonlySet<string>) {
  const RecordOutcomes = async ({ reports = [] }: RecordOutcomesRequestInput) => {
    if (stuck.has(reports[0]?.authorizationId ?? '')) {
      throw new Fault('deadline', { code: 'SERVICE_UNAVAILABLE', message: 'too late' });
    }
    return { results: [{ status: 'created' }] };
  };
  return startOutcomeReporter({
    signal: new WakeSignal(),
    ...{ environment: 'live', chains: [], clock: () => 0, pollMs: 1, tracer: null, log, pool },
    ledger: { call: { RecordOutcomes } } as unknown as OutcomeOptions['ledger'],
  });
}

test('outcomes that always time out do not hold up the others of their batch', async (t) => {
  const stuck = ['stl_1', 'stl_2', 'stl_3'];
  await insertSettled([...stuck, 'stl_4', 'stl_5', 'stl_6']);
  const due = async () => {
    const { rows } = await pool.query<{ id: string; later: boolean }>(
      `SELECT id, next_check_at > now() + interval '5 minutes' AS later
       FROM settlement WHERE outcome_due ORDER BY id`,
    );
    return rows;
  };
  const loop = reporterWith(new Set(stuck));
  t.teardown(() => loop.stop());
  const left = await until(async () => {
    const rows = await due();
    return rows.length <= stuck.length && rows.every(({ later }) => later) && rows;
  });
  t.same(
    left.map(({ id }) => id),
    stuck,
    'those remain due, later the older they are',
  );
});

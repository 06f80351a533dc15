import type { Pool, PoolClient } from '@countersign/runtime/database';
import { encodeIntArray, encodeTextArray } from '@countersign/runtime/database/sql-array';
import { profileSql } from '../sql.js';
import type { Held } from './held.js';
import { forgetMerchants } from './known-merchants.js';
import { packEntry } from './packed-entry.js';
import { packState } from './packed-state.js';
import { forgetTraces, traceColumns } from './traces.js';

export async function write(client: PoolClient, held: Held): Promise<void> {
  const { ids, versions, states, tracesSince } = profilesOf(held);
  const traces = traceColumns(held);
  const entries = entriesOf(held);
  if (entries.count === 0) return;
  await client.query({
    ...profileSql.write,
    values: [
      ...[ids, versions, states],
      ...entries.columns,
      ...merchantsOf(held),
      ...traces.rows,
      tracesSince,
    ],
  });
  await forgetTraces(client, held, traces.full);
  await forgetMerchants(client, held.takenBack);
}

/** Writes based on the cache alone. False, and nothing is written, if that was outdated. */
export async function writeAtOnce(pool: Pool, held: Held): Promise<boolean> {
  const { ids, before, versions, states } = profilesOf(held);
  const thresholds = [...held.thresholds];
  const traces = traceColumns(held);
  const { rows } = await pool.query<{ written: boolean }>({
    ...profileSql.writeAtOnce,
    values: [
      ...[ids, before, versions, states],
      encodeTextArray(thresholds.map(([principalId]) => principalId)),
      encodeIntArray(thresholds.map(([, { version }]) => version)),
      ...entriesOf(held).columns,
      ...merchantsOf(held),
      ...traces.rows,
      encodeTextArray(traces.full),
    ],
  });
  return rows[0]?.written === true;
}

function profilesOf({ profiles }: Held) {
  const moved = [...profiles].filter(([, { learnt }]) => learnt);
  return {
    ids: encodeTextArray(moved.map(([agentId]) => agentId)),
    before: encodeIntArray(moved.map(([, { heldVersion }]) => heldVersion)),
    versions: encodeIntArray(moved.map(([, { version }]) => version)),
    states: encodeTextArray(moved.map(([, { state }]) => packState(state))),
    tracesSince: encodeIntArray(moved.map(([, { tracesSince }]) => tracesSince)),
  };
}

function entriesOf({ entries }: Held) {
  const changed = [...entries].filter(([, entry]) => entry.changed);
  const columns = [
    encodeTextArray(changed.map(([authorizationId]) => authorizationId)),
    encodeTextArray(changed.map(([, { agentId }]) => agentId)),
    encodeTextArray(changed.map(([, { entry }]) => packEntry(entry))),
  ];
  return { count: changed.length, columns };
}

function merchantsOf({ learnt }: Held) {
  return [
    encodeTextArray(learnt.map(({ agentId }) => agentId)),
    encodeTextArray(learnt.map(({ merchant }) => merchant)),
    encodeTextArray(learnt.map(({ authorizationId }) => authorizationId)),
  ];
}

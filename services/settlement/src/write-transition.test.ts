import type { Pool } from '@countersign/runtime/database';
import { test } from 'tap';
import type { Chain } from './chain.js';
import type { OpenRow } from './open-row.js';
import { claimSql } from './sql.js';
import { nextTransition } from './status.js';
import { writeTransition } from './write-transition.js';

const now = new Date('2026-11-21T09:30:00.000Z');
const row = {
  ...{ id: 'stl_1', authorizationId: 'aut_1', status: 'FAILED', asset: 'USDC', blockHash: null },
  ...{ authorizedValue: '10', createdAt: now, lastSeenAt: null },
} as unknown as OpenRow;
const chain = { settings: { assets: new Map() } } as unknown as Chain;

/** Of a database in which another settlement held the transaction, and now has this status. */
function written(claim: Array<{ status: string }>) {
  const held = Object.assign(new Error('held'), {
    ...{ code: '23505', constraint: 'settlement_tx_hash_held' },
  });
  let writes = 0;
  const query = async (sql: string) => {
    if (sql === claimSql) return { rows: claim };
    writes += 1;
    if (writes === 1) throw held;
    return { rowCount: 1 };
  };
  const transition = nextTransition(row, { kind: 'waiting' }, now.getTime());
  const pool = { query } as unknown as Pool;
  return writeTransition(pool, chain, { row, transition, pauseMs: 1 });
}

test('a transaction that was held a moment ago is checked again later', async (t) => {
  t.equal(await written([]), null);
  t.match(await written([{ status: 'PENDING' }]), { status: 'FAILED' });
});

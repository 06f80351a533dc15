import type { Logger } from '@countersign/runtime/log';
import type { Chain } from './chain.js';
import { type CheckParts, checkSettlement, type OpenRow, readHeads } from './check.js';
import { Loop } from './loop.js';
import type { SettlementMetrics } from './settlement-metrics.js';
import { releaseSql, takeOpenSql } from './sql.js';
import { checkPauseMs } from './status.js';

export interface WatcherOptions extends CheckParts {
  chain: Chain;
  log: Logger;
  metrics: SettlementMetrics;
}

const batchSize = 64;
/** Looks under way at once: what a public node bears. */
const concurrency = 8;
/** Longer than a batch takes; what a replica that dies had taken waits for so long. */
const leaseMs = 30_000;

/** Follows the open transfers of one chain. Asks the chain nothing while there are none. */
export function startWatcher(options: WatcherOptions): Loop {
  const { pollMs, log, chain } = options;
  const about = { chain: chain.settings.name };
  return new Loop({
    turn: () => watchBatch(options),
    pauseMs: pollMs,
    failed: (error) => log.warn({ err: error, ...about }, 'the chain cannot be asked'),
  });
}

/** With the end of its lease, to the microsecond. */
type TakenRow = OpenRow & { lease: string };

/** One batch; true when there may be more that is due. */
async function watchBatch(options: WatcherOptions): Promise<boolean> {
  const { pool, chain } = options;
  const { rows } = await pool.query<TakenRow>(takeOpenSql, [
    chain.settings.name,
    batchSize,
    leaseMs,
  ]);
  if (rows.length === 0) return false;
  const untold = new Map(rows.map((row) => [row.id, row]));
  try {
    await lookAtAll(rows, options, (row) => untold.delete(row.id));
  } finally {
    await release([...untold.values()], options);
  }
  return rows.length === batchSize;
}

/** `told` is called with each of which a look could say something. */
async function lookAtAll(
  rows: OpenRow[],
  options: WatcherOptions,
  told: (row: OpenRow) => void,
): Promise<void> {
  const { pool, chain, log, metrics } = options;
  const { name } = chain.settings;
  const heads = await readHeads(chain, pool);
  metrics.head.set({ chain: name }, Number(heads.head));
  const queue = [...rows];
  const worker = async (): Promise<void> => {
    for (let row = queue.shift(); row; row = queue.shift()) {
      const { id, status: before } = row;
      try {
        const step = await checkSettlement(row, chain, { ...options, heads });
        if (step) told(row);
        const after = step?.status ?? before;
        metrics.looks.inc({ chain: name, status: step ? after : 'UNKNOWN' });
        if (after !== before) log.info({ settlementId: id, before, after }, 'settlement moved on');
      } catch (error) {
        log.warn({ err: error, settlementId: id }, 'settlement could not be looked at');
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/**
 * Those of which nothing could be said come up again at their next turn instead of at the end of
 * the lease: a block between the question for the head and that for the receipt is no rarity.
 */
async function release(
  rows: TakenRow[],
  { pool, clock, pollMs, log }: WatcherOptions,
): Promise<void> {
  if (rows.length === 0) return;
  const now = clock();
  const pauses = rows.map((row) => checkPauseMs(row.status, now - row.createdAt.getTime(), pollMs));
  const leases = rows.map(({ lease }) => lease);
  await pool.query(releaseSql, [rows.map(({ id }) => id), leases, pauses]).catch((error) => {
    log.warn({ err: error }, 'settlements wait for the end of their lease');
  });
}

import type { Logger } from '@countersign/runtime/log';
import { Loop } from '@countersign/runtime/loop';
import type { Chain } from './chain.js';
import { type CheckParts, checkSettlement, type OpenRow, readHeads } from './check.js';
import type { SettlementMetrics } from './settlement-metrics.js';
import { releaseSql, takeOpenSql } from './sql.js';
import { checkPauseMs } from './status.js';

export interface WatcherOptions extends CheckParts {
  chain: Chain;
  log: Logger;
  metrics: SettlementMetrics;
}

const batchSize = 64;
/** Checks in flight at once; more would exceed the rate limits of public nodes. */
const concurrency = 8;
/** What a replica had taken when it crashed waits this long. */
const leaseMs = 30_000;
/**
 * No check of a batch starts later than this; what is left is released. With a slow node a batch
 * takes longer than its lease, and another replica would send the same requests again.
 */
const checkingMs = 15_000;

/** Follows the open transfers of one chain. Makes no request to it while there are none. */
export function startWatcher(options: WatcherOptions): Loop {
  const { pollMs, log, chain } = options;
  const about = { chain: chain.settings.name };
  return new Loop({
    turn: async () => ((await watchBatch(options)) ? 0 : pollMs),
    failed: (error) => {
      log.warn({ err: error, ...about }, 'the chain cannot be asked');
      return pollMs;
    },
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
  const unresolved = new Map(rows.map((row) => [row.id, row]));
  const queue = [...rows];
  try {
    await checkAll(queue, options, (row) => unresolved.delete(row.id));
  } finally {
    await release([...unresolved.values()], new Set(queue), options);
  }
  return rows.length === batchSize;
}

/**
 * Calls `resolved` with each settlement whose check was conclusive. Leaves in the queue what it had
 * no time for.
 */
async function checkAll(
  queue: OpenRow[],
  options: WatcherOptions,
  resolved: (row: OpenRow) => void,
): Promise<void> {
  const { pool, chain, log, metrics } = options;
  const { name } = chain.settings;
  const heads = await readHeads(chain, pool);
  metrics.head.set({ chain: name }, Number(heads.head));
  const endsAt = performance.now() + checkingMs;
  const next = () => (performance.now() < endsAt ? queue.shift() : undefined);
  const worker = async (): Promise<void> => {
    for (let row = next(); row; row = next()) {
      const { id, status: before } = row;
      try {
        const step = await checkSettlement(row, chain, { ...options, heads });
        if (step) resolved(row);
        const after = step?.status ?? before;
        metrics.looks.inc({ chain: name, status: step ? after : 'UNKNOWN' });
        if (after !== before) log.info({ settlementId: id, before, after }, 'settlement moved on');
      } catch (error) {
        log.warn({ err: error, settlementId: id }, 'settlement could not be checked');
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/**
 * Ends the lease of settlements whose check was inconclusive, so that they are checked again at the
 * next poll: a block mined between the requests for head and receipt is common. Those that were not
 * checked are due at once.
 */
async function release(
  rows: TakenRow[],
  unchecked: ReadonlySet<OpenRow>,
  { pool, pollMs, log }: WatcherOptions,
): Promise<void> {
  if (rows.length === 0) return;
  const pauseOf = ({ status, readAt, createdAt }: OpenRow) =>
    checkPauseMs(status, readAt.getTime() - createdAt.getTime(), pollMs);
  const pauses = rows.map((row) => (unchecked.has(row) ? 0 : pauseOf(row)));
  const leases = rows.map(({ lease }) => lease);
  await pool.query(releaseSql, [rows.map(({ id }) => id), leases, pauses]).catch((error) => {
    log.warn({ err: error }, 'settlements wait for the end of their lease');
  });
}

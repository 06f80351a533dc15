import type { Logger } from '@countersign/runtime/log';
import type { Chain } from './chain.js';
import { type CheckParts, checkSettlement, type OpenRow, readHeads } from './check.js';
import { Loop } from './loop.js';
import type { SettlementMetrics } from './settlement-metrics.js';
import { takeOpenSql } from './sql.js';

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

/** One batch; true when there may be more that is due. */
async function watchBatch(options: WatcherOptions): Promise<boolean> {
  const { pool, chain, log, metrics } = options;
  const { name } = chain.settings;
  const { rows } = await pool.query<OpenRow>(takeOpenSql, [name, batchSize, leaseMs]);
  if (rows.length === 0) return false;
  const heads = await readHeads(chain, pool);
  metrics.head.set({ chain: name }, Number(heads.head));
  const queue = [...rows];
  const worker = async (): Promise<void> => {
    for (let row = queue.shift(); row; row = queue.shift()) {
      const { id, status: before } = row;
      try {
        const step = await checkSettlement(row, chain, { ...options, heads });
        const after = step?.status ?? before;
        metrics.looks.inc({ chain: name, status: step ? after : 'UNKNOWN' });
        if (after !== before) log.info({ settlementId: id, before, after }, 'settlement moved on');
      } catch (error) {
        log.warn({ err: error, settlementId: id }, 'settlement could not be looked at');
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return rows.length === batchSize;
}

import type { Logger } from '@countersign/runtime/log';
import { Loop } from '@countersign/runtime/loop';
import type { Chain } from './chain.js';
import { type CheckParts, checkSettlement, type Heads, readHeads } from './check.js';
import type { OpenRow } from './open-row.js';
import { leaseOpenSql, releaseLeasesSql } from './sql.js';
import { checkPauseMs } from './status.js';

export interface WatcherOptions extends CheckParts {
  chain: Chain;
  log: Logger;
}

const batchSize = 64;
/** As many settlements of known transactions as `leaseOpenSql` takes into a batch. */
const fullOfSeen = 48;
/** Concurrent checks; more would exceed the rate limits of public nodes. */
const concurrency = 8;
/** If a replica crashes, its settlements are not checked for this time. */
const leaseMs = 30_000;
/**
 * No check of a batch starts after this time, and the rest is released. Otherwise a slow node
 * could make a batch outlast its lease, and another replica would repeat its requests.
 */
const checkingMs = 15_000;

/**
 * Checks the open settlements of one chain. Sends no requests to it while there are none, unless it
 * was unavailable: then its head is asked for until it is read again, so that no replica goes on
 * reporting an outage after another has checked the last settlement.
 */
export function startWatcher(options: WatcherOptions): Loop {
  const { pollMs, log, chain } = options;
  const { name } = chain.settings;
  return new Loop({
    turn: async (stopping) => ((await watchBatch(options, stopping)) ? 0 : pollMs),
    failing: {
      ...{ log, facts: { chain: name } },
      failed: 'the chain is unavailable',
      over: 'the chain is available again',
    },
    retryMs: pollMs,
  });
}

/** `lease` is the end of the lease as text, by which this replica recognises its own. */
type LeasedRow = OpenRow & { lease: string };

/** Returns true if more settlements may be due. */
async function watchBatch(options: WatcherOptions, stopping: AbortSignal): Promise<boolean> {
  const { pool, chain } = options;
  const { rows } = await pool.query<LeasedRow>(leaseOpenSql, [
    chain.settings.name,
    batchSize,
    leaseMs,
  ]);
  if (rows.length === 0 && !chain.isUnavailable) return false;
  const unresolved = new Map(rows.map((row) => [row.id, row]));
  const queue = [...rows];
  const resolved = (row: OpenRow) => unresolved.delete(row.id);
  try {
    await checkAll(queue, options, { resolved, stopping });
  } finally {
    await release([...unresolved.values()], new Set(queue), options);
  }
  return rows.length >= fullOfSeen;
}

/**
 * Calls `resolved` for each settlement whose check was conclusive. Those that there was no time to
 * check remain in the queue.
 */
async function checkAll(
  queue: OpenRow[],
  options: WatcherOptions,
  { resolved, stopping }: { resolved: (row: OpenRow) => void; stopping: AbortSignal },
): Promise<void> {
  const checking = { ...options, heads: await readHeads(options.chain, options) };
  const endsAt = performance.now() + checkingMs;
  const next = () => (performance.now() < endsAt && !stopping.aborted ? queue.shift() : undefined);
  const worker = async (): Promise<void> => {
    for (let row = next(); row; row = next()) {
      const isConclusive = await checkOne(row, checking);
      if (isConclusive) resolved(row);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** Returns true if the check was conclusive. */
async function checkOne(
  row: OpenRow,
  checking: WatcherOptions & { heads: Heads },
): Promise<boolean> {
  const { chain, log } = checking;
  const { id, status: before } = row;
  try {
    const transition = await checkSettlement(row, chain, checking);
    const after = transition?.status ?? before;
    if (after !== before) log.info({ settlementId: id, before, after }, 'settlement changed');
    return transition !== null;
  } catch (error) {
    log.warn({ err: error, settlementId: id }, 'settlement could not be checked');
    return false;
  }
}

/**
 * Releases settlements whose check was inconclusive, so that they are checked again at the next
 * poll: blocks are often mined between the requests for head and receipt. Those that were not
 * checked are due at once.
 */
async function release(
  rows: LeasedRow[],
  unchecked: ReadonlySet<OpenRow>,
  { pool, pollMs, log }: WatcherOptions,
): Promise<void> {
  if (rows.length === 0) return;
  const pauseOf = ({ status, readAt, createdAt }: OpenRow) =>
    checkPauseMs(status, readAt.getTime() - createdAt.getTime(), pollMs);
  const pauses = rows.map((row) => (unchecked.has(row) ? 0 : pauseOf(row)));
  const leases = rows.map(({ lease }) => lease);
  await pool.query(releaseLeasesSql, [rows.map(({ id }) => id), leases, pauses]).catch((error) => {
    log.warn({ err: error }, 'settlements could not be released before their lease ends');
  });
}

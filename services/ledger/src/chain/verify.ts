import type { Environment } from '@countersign/kernel/environment';
import type { Pool } from '@countersign/runtime/database';
import { Bases } from './bases.js';
import { type ChainLink, entryHash, genesisHash } from './hash.js';
import type { Head } from './head.js';
import { chainKinds, waitingRowsSql } from './kinds.js';
import { nameOf, type Row, readRows } from './rows.js';
import { type BadEntry, type ExternalEvidence, Signatures, truncation } from './signatures.js';
import { endsSql, entriesSql, headsSql, strayEntrySql } from './sql.js';
import { type ChainedUpTo, findUnchained } from './unchained.js';

/** A pool, each of whose statements is a transaction of its own, or a connection in one. */
type Reader = Pick<Pool, 'query'>;

export interface LogReport {
  entries: number;
  heads: number;
  /** The thumbprints of the keys that signed. */
  kids: string[];
  /** The newest head, which should be kept outside the database. */
  lastHead: Head | null;
  /** The number of rows written since the chain was last extended. */
  waiting: number;
  bad: BadEntry | null;
}

type Walk = Pick<LogReport, 'entries' | 'waiting' | 'bad'>;

interface Ends extends ChainedUpTo {
  lastSeq: string | null;
  lastHead: string | null;
  signing: boolean;
}

interface Entry extends ChainLink {
  entryHash: string;
  format: number;
}

export const entriesPerPage = 500;

/**
 * Verifies a complete log against the rows: each entry follows the previous one, its row exists
 * and has the recorded hash, the bases of records have their hashes, the heads match, and no row
 * was inserted later. Stops at the first bad entry. It only reads, and needs no single snapshot,
 * which would keep the server from vacuuming for hours: what it reads, up to the end that it finds
 * first, is complete by then and only ever appended to.
 */
export async function verifyLog(
  reader: Reader,
  environment: Environment,
  kept: ExternalEvidence = { heads: new Map(), kids: [] },
): Promise<LogReport> {
  const { rows } = await reader.query<Ends>(endsSql);
  const [ends] = rows;
  if (!ends) throw new Error('the end of the log could not be read');
  const lastSeq = ends.lastSeq ?? '0';
  const waiting = await countWaiting(reader, ends.lastTxid);
  const report: Walk = { entries: 0, waiting, bad: await findStray(reader) };
  const signatures = new Signatures(environment, kept);
  const bases = new Bases(reader);
  let previous = { seq: '0', hash: genesisHash, txid: '0' };
  while (previous.seq !== lastSeq && !report.bad) {
    const next = await reader.query<Entry>(entriesSql, [previous.seq, lastSeq, entriesPerPage]);
    const entries = next.rows;
    if (entries.length === 0) report.bad = removed(previous.seq, lastSeq);
    const heads = await reader.query<Head>(headsSql, [previous.seq, entries.at(-1)?.seq ?? 0]);
    const currentRows = await readRows(reader, entries);
    const records = entries.filter(({ kind }) => kind === 'authorization');
    const badBases = await bases.problemsOf(records.map(({ ref }) => ref));
    const page = { entries, heads: heads.rows, currentRows, badBases, signatures };
    previous = checkPage(page, previous, report);
  }
  if (ends.lastHead !== null && BigInt(ends.lastHead) > BigInt(lastSeq)) {
    report.bad ??= truncation(lastSeq, ends.lastHead);
  }
  report.bad ??= signatures.end(lastSeq, ends.signing);
  report.bad ??= await findUnchained(reader, ends);
  const { count: heads, last: lastHead, kids } = signatures;
  return { ...report, heads, lastHead, kids: [...kids] };
}

interface Page {
  entries: readonly Entry[];
  heads: readonly Head[];
  currentRows: ReadonlyMap<string, Row>;
  /** By authorization id. */
  badBases: ReadonlyMap<string, string>;
  signatures: Signatures;
}

interface Place {
  seq: string;
  hash: string;
  txid: string;
}

/** An entry outside the chain would seem to cover a row, and is not compared with it. */
async function findStray(reader: Reader): Promise<BadEntry | null> {
  const { rows } = await reader.query<Omit<BadEntry, 'problem'>>(strayEntrySql);
  return rows[0] ? { ...rows[0], problem: 'entries are numbered from 1' } : null;
}

/** Entries that were there when the verification began. */
function removed(afterSeq: string, lastSeq: string): BadEntry {
  const problem = `the entries up to ${lastSeq} were removed while the log was read`;
  return { seq: String(BigInt(afterSeq) + 1n), kind: 'chain_entry', ref: 'unknown', problem };
}

function checkPage({ signatures, ...page }: Page, start: Place, report: Walk): Place {
  let previous = start;
  for (const entry of page.entries) {
    const { seq, kind, ref, entryHash: hash, txid } = entry;
    const row = page.currentRows.get(nameOf(entry));
    const badBasis = kind === 'authorization' ? page.badBases.get(ref) : undefined;
    const problem = entryProblem(entry, previous, row) ?? badBasis;
    const head = page.heads.find((each) => each.seq === seq);
    report.bad = problem
      ? { seq, kind, ref, problem }
      : signatures.pass({ ...entry, at: row?.at ?? 0 }, head);
    if (report.bad) return previous;
    report.entries += 1;
    previous = { seq, hash, txid };
  }
  return previous;
}

function entryProblem(entry: Entry, previous: Place, row: Row | undefined): string | null {
  if (entry.seq === previous.seq) return 'another entry has the same number';
  if (BigInt(entry.seq) !== BigInt(previous.seq) + 1n) {
    return `entry ${BigInt(previous.seq) + 1n} before it is missing`;
  }
  if (row === undefined) return 'its row is missing or has a different id or transaction';
  if (row.isRepeated) return 'another row has the same id and transaction';
  if (row.hash !== entry.recordHash) {
    return `its row was changed: it hashes to ${row.hash}, not to ${entry.recordHash}`;
  }
  if (entry.previousHash !== previous.hash) return 'it does not follow the entry before it';
  if (entryHash(entry, entry.format) !== entry.entryHash) return 'the entry itself was changed';
  if (BigInt(entry.txid) < BigInt(previous.txid)) return 'its row was inserted among older ones';
  return null;
}

/** Rows that the chain has yet to take in. */
async function countWaiting(reader: Reader, lastTxid: string | null): Promise<number> {
  let waiting = 0;
  for (const each of chainKinds) {
    const values = [lastTxid ?? '0', each.kind];
    const { rows } = await reader.query<{ waiting: number }>(waitingRowsSql(each), values);
    waiting += rows[0]?.waiting ?? 0;
  }
  return waiting;
}

import type { Environment } from '@countersign/kernel/environment';
import type { PoolClient } from '@countersign/runtime/database';
import {
  asText,
  type ChainLink,
  entryHash,
  genesisHash,
  plainTextSql,
  rowHash,
  type TextRow,
  textRowHash,
} from './hash.js';
import { isSigned } from './head.js';
import { chainKinds, namedRowsSql, unchainedRowSql, waitingRowsSql } from './kinds.js';
import { endsSql, entriesSql, headsSql } from './sql.js';

/** The first thing that is wrong, in the order of the log. */
export interface BadEntry {
  /** Null where it is no entry but a row that none covers. */
  seq: string | null;
  kind: string;
  ref: string;
  problem: string;
}

export interface LogReport {
  entries: number;
  heads: number;
  /** The keys that signed, by their thumbprints. */
  kids: string[];
  lastHead: { seq: string; entryHash: string; signedAt: string } | null;
  /** Rows that were written since the chain was last extended. */
  waiting: number;
  bad: BadEntry | null;
}

interface Ends {
  lastSeq: string | null;
  lastTxid: string | null;
  lastHead: string | null;
}

interface Entry extends ChainLink {
  entryHash: string;
  format: number;
}

interface Head {
  seq: string;
  entryHash: string;
  signedAt: Date;
  kid: string;
  signature: string;
  publicJwk: string | null;
}

const entriesAtOnce = 500;

/**
 * Recomputes a whole log from the rows themselves: that every entry follows the one before it, that
 * its row is there and hashes to what it did, that what was signed is what stands there, and that
 * no row was slipped in among them. Stops at the first that is bad. Only reads; needs a transaction
 * of its own that sees one state throughout.
 */
export async function verifyLog(client: PoolClient, environment: Environment): Promise<LogReport> {
  await client.query(plainTextSql);
  const { rows } = await client.query<Ends>(endsSql);
  const { lastSeq, lastTxid, lastHead } = rows[0] ?? {
    lastSeq: null,
    lastTxid: null,
    lastHead: null,
  };
  const report: LogReport = {
    entries: 0,
    heads: 0,
    kids: [],
    lastHead: null,
    waiting: 0,
    bad: null,
  };
  let previous = { seq: '0', hash: genesisHash, txid: '0' };
  while (previous.seq !== (lastSeq ?? '0') && !report.bad) {
    const next = await client.query<Entry>(entriesSql, [previous.seq, lastSeq, entriesAtOnce]);
    const entries = next.rows;
    const heads = await client.query<Head>(headsSql, [previous.seq, entries.at(-1)?.seq ?? 0]);
    const recordHashes = await hashRows(client, entries);
    const page = { entries, heads: heads.rows, recordHashes, environment };
    previous = checkPage(page, previous, report);
  }
  report.bad ??= cutOff(lastSeq ?? '0', lastHead);
  report.bad ??= await findUnchained(client, lastTxid ?? '0', report);
  return report;
}

interface Page {
  entries: readonly Entry[];
  heads: readonly Head[];
  recordHashes: ReadonlyMap<string, string>;
  environment: Environment;
}

interface Place {
  seq: string;
  hash: string;
  txid: string;
}

function checkPage(page: Page, start: Place, report: LogReport): Place {
  let previous = start;
  for (const entry of page.entries) {
    const { seq, kind, ref } = entry;
    const head = page.heads.find((each) => each.seq === seq);
    const problem = entryProblem(entry, previous, page) ?? (head && headProblem(head, entry, page));
    if (problem) {
      report.bad = { seq, kind, ref, problem };
      return previous;
    }
    report.entries += 1;
    if (head) {
      report.heads += 1;
      const signedAt = head.signedAt.toISOString();
      report.lastHead = { seq, entryHash: head.entryHash, signedAt };
      if (!report.kids.includes(head.kid)) report.kids.push(head.kid);
    }
    previous = { seq, hash: entry.entryHash, txid: entry.txid };
  }
  return previous;
}

function entryProblem(entry: Entry, previous: Place, { recordHashes }: Page): string | null {
  if (BigInt(entry.seq) !== BigInt(previous.seq) + 1n) {
    return `entry ${BigInt(previous.seq) + 1n} before it is missing`;
  }
  const recordHashNow = recordHashes.get(nameOf(entry));
  if (recordHashNow === undefined) return 'its row is gone, or bears another id or transaction';
  if (recordHashNow !== entry.recordHash) {
    return `its row was changed: it hashes to ${recordHashNow}, not to ${entry.recordHash}`;
  }
  if (entry.previousHash !== previous.hash) return 'it does not follow the entry before it';
  if (entryHash(entry, entry.format) !== entry.entryHash) return 'the entry itself was changed';
  if (BigInt(entry.txid) < BigInt(previous.txid)) return 'its row was slipped in among older ones';
  return null;
}

function headProblem(head: Head, entry: Entry, { environment }: Page): string | null {
  const { seq, kid, signature, publicJwk } = head;
  if (head.entryHash !== entry.entryHash) return 'another entry was signed in its place';
  if (publicJwk === null) return `the key ${kid} that signed it is not published`;
  const signedAt = head.signedAt.toISOString();
  const statement = { environment, seq, entryHash: head.entryHash, signedAt, kid };
  return isSigned(statement, { signature, publicJwk }) ? null : 'its signature is not good';
}

/** What the rows of these entries hash to now; a row that is gone has no hash. */
async function hashRows(
  client: PoolClient,
  entries: readonly Entry[],
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const kind of chainKinds) {
    for (const format of [1, 2]) {
      const named = entries.filter((entry) => entry.kind === kind.kind && entry.format === format);
      if (named.length === 0) continue;
      const text = namedRowsSql(kind, format);
      const values = [named.map(({ txid }) => txid), named.map(({ ref }) => ref)];
      for (const { ref, hash } of await hashed(client, { text, values, format })) {
        hashes.set(nameOf({ kind: kind.kind, ref }), hash);
      }
    }
  }
  return hashes;
}

interface Query {
  text: string;
  values: string[][];
  format: number;
}

/** Hashed here and not by the server, which is what is being verified. */
async function hashed(
  client: PoolClient,
  { text, values, format }: Query,
): Promise<Array<{ ref: string; hash: string }>> {
  if (format === 1) {
    const { rows } = await client.query<TextRow>({ text, values, types: asText });
    return rows.map((row) => ({ ref: row.chain_ref ?? '', hash: textRowHash(row) }));
  }
  const { rows } = await client.query<{ chain_ref: string; bytes: Buffer }>(text, values);
  return rows.map((row) => ({ ref: row.chain_ref, hash: rowHash(row.bytes) }));
}

function nameOf({ kind, ref }: { kind: string; ref: string }): string {
  return `${kind} ${ref}`;
}

/** Heads are signed of entries that are there: one of a later entry tells of a cut-off end. */
function cutOff(lastSeq: string, lastHead: string | null): BadEntry | null {
  if (lastHead === null || BigInt(lastHead) <= BigInt(lastSeq)) return null;
  const problem = `entries up to ${lastHead} were signed, and those after ${lastSeq} are gone`;
  return { seq: String(BigInt(lastSeq) + 1n), kind: 'chain_entry', ref: 'unknown', problem };
}

async function findUnchained(
  client: PoolClient,
  lastTxid: string,
  report: LogReport,
): Promise<BadEntry | null> {
  for (const each of chainKinds) {
    const { kind } = each;
    const values = [lastTxid, kind];
    const { rows } = await client.query<{ ref: string }>(unchainedRowSql(each), values);
    const [row] = rows;
    if (row) return { seq: null, kind, ref: row.ref, problem: 'no entry covers this row' };
    const behind = await client.query<{ waiting: number }>(waitingRowsSql(each), values);
    report.waiting += behind.rows[0]?.waiting ?? 0;
  }
  return null;
}

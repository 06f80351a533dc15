import { parseArgs } from 'node:util';
import { type Environment, isEnvironment } from '@countersign/kernel/environment';
import { createPool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import type { ExternalEvidence } from './chain/signatures.js';
import { type LogReport, verifyLog } from './chain/verify.js';

/** Of one statement, for a page of the log; a complete verification may take hours. */
const statementTimeoutMs = 600_000;

const usage = `usage: DATABASE_URL=postgres://... verify-log.js live|sandbox
  [--head=<entry>:<hash>]...  a head kept elsewhere, which the log must contain
  [--key=<thumbprint>]...     an accepted signing key; other keys are rejected
`;

interface Task extends ExternalEvidence {
  url: string;
  environment: Environment;
}

/**
 * `DATABASE_URL=... node dist/verify-log.js live` verifies the log of one environment. Exit code
 * 0: the log is valid; 1: it is not; 2: it could not be read.
 */
async function main(): Promise<number> {
  const task = readTask();
  if (task === null) {
    process.stderr.write(usage);
    return 2;
  }
  const { url, environment } = task;
  const log = createLog({ service: 'ledger', level: 'error' });
  const pool = createPool({ url, size: 1, log, statementTimeoutMs });
  try {
    const report = await verifyLog(pool, environment, task);
    process.stdout.write(`${textOf(task, report)}\n`);
    return report.bad ? 1 : 0;
  } catch (error) {
    process.stderr.write(`the log could not be read: ${String(error)}\n`);
    return 2;
  } finally {
    await pool.end();
  }
}

/** Null if any argument is invalid: a head that is not compared must not appear to be verified. */
function readTask(): Task | null {
  const texts = { type: 'string', multiple: true, default: [] as string[] } as const;
  try {
    const options = { head: texts, key: texts };
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [environment = '', ...more] = positionals;
    const url = process.env.DATABASE_URL;
    const heads = readHeads(values.head);
    if (!url || !heads || !isEnvironment(environment) || more.length > 0) return null;
    return { url, environment, heads, kids: values.key };
  } catch {
    return null;
  }
}

function readHeads(texts: readonly string[]): Map<string, string[]> | null {
  const heads = new Map<string, string[]>();
  for (const text of texts) {
    const [, seq, hash] = /^([1-9]\d{0,18}):([0-9a-f]{64})$/.exec(text) ?? [];
    if (!seq || !hash) return null;
    heads.set(seq, [...(heads.get(seq) ?? []), hash]);
  }
  return heads;
}

function textOf({ environment, heads: kept }: Task, report: LogReport): string {
  const { entries, heads, kids, lastHead, waiting, bad } = report;
  const read = `${environment}: ${entries} entries and ${heads} signed heads are valid`;
  if (bad) {
    const where = bad.seq === null ? 'outside the chain' : `entry ${bad.seq}`;
    return `${read}\nBAD ${where}: ${bad.kind} ${bad.ref}: ${bad.problem}`;
  }
  const signed = lastHead
    ? `last head: ${lastHead.seq}:${lastHead.entryHash} at ${lastHead.signedAt.toISOString()}`
    : 'no head has been signed yet';
  return `${read}, ${waiting} rows are not chained yet
${signed}
signed by: ${kids.join(', ') || 'nobody'}
compared with ${kept.size} kept ${kept.size === 1 ? 'head' : 'heads'}`;
}

// A closed pipe must not end the process with 1: the log would seem invalid.
process.stdout.on('error', () => {});
process.exitCode = await main();

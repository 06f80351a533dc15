import { isEnvironment } from '@countersign/kernel/environment';
import { createPool, inTransaction } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { type LogReport, verifyLog } from './chain/verify.js';

/** Larger than any reading of one page takes; a verification as a whole may take hours. */
const statementTimeoutMs = 600_000;

/**
 * `DATABASE_URL=... node dist/verify-log.js live`: recomputes the log of one environment. Exit code
 * 0 when all of it is good, 1 when something is not, 2 when it could not be read.
 */
async function main(): Promise<number> {
  const url = process.env.DATABASE_URL;
  const environment = process.argv[2] ?? '';
  if (!url || !isEnvironment(environment)) {
    process.stderr.write('usage: DATABASE_URL=postgres://... verify-log.js live|sandbox\n');
    return 2;
  }
  const log = createLog({ service: 'ledger', level: 'error' });
  const pool = createPool({ url, size: 1, log, statementTimeoutMs });
  try {
    const report = await inTransaction(pool, async (client) => {
      // One state throughout, however much is recorded meanwhile.
      await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      return verifyLog(client, environment);
    });
    process.stdout.write(`${textOf(environment, report)}\n`);
    return report.bad ? 1 : 0;
  } catch (error) {
    process.stderr.write(`the log could not be read: ${String(error)}\n`);
    return 2;
  } finally {
    await pool.end();
  }
}

function textOf(environment: string, report: LogReport): string {
  const { entries, heads, kids, lastHead, waiting, bad } = report;
  const read = `${environment}: ${entries} entries and ${heads} signed heads are good`;
  if (bad) {
    const where = bad.seq === null ? 'outside the chain' : `entry ${bad.seq}`;
    return `${read}\nBAD ${where}: ${bad.kind} ${bad.ref}: ${bad.problem}`;
  }
  const signed = lastHead
    ? `last signed: entry ${lastHead.seq} ${lastHead.entryHash} at ${lastHead.signedAt}`
    : 'nothing is signed yet';
  return `${read}, ${waiting} rows wait\n${signed}\nsigned by: ${kids.join(', ') || 'nobody'}`;
}

process.exitCode = await main();

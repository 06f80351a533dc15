import type { Pool } from '@countersign/runtime/database';
import { onceReached } from '@countersign/runtime/database/once-reached';
import type { RowType } from '@countersign/runtime/database/sql-array';
import type { Logger } from '@countersign/runtime/log';
import { databaseSql } from '../sql.js';
import { proposalAttributes } from './proposal-row.js';
import { RecordedBases } from './recorded-bases.js';

/** What is known about the database that the pool leads to. */
export interface Database {
  /** Changes when the database may have lost what it had, see the function `database_epoch`. */
  epoch: string;
  /** The composite type `proposal`. */
  type: RowType;
  bases: RecordedBases;
}

/** The pool, and the database that it led to when this was last looked at. */
export class CommitStore {
  readonly pool: Pool;
  readonly #log: Logger;
  #database: Database;

  static async open(pool: Pool, log: Logger): Promise<CommitStore> {
    const row = await onceReached(() => readRow(pool));
    return new CommitStore(pool, log, databaseOf(row));
  }

  private constructor(pool: Pool, log: Logger, database: Database) {
    this.pool = pool;
    this.#log = log;
    this.#database = database;
  }

  get database(): Database {
    return this.#database;
  }

  /** Whether the pool leads to another database than this one; looked at anew. */
  async leadsElsewhere(than: Database): Promise<boolean> {
    if (this.#database !== than) return true;
    const found = databaseOf(await readRow(this.pool));
    // Another lane may have looked at it meanwhile: what it has learnt since is not forgotten.
    if (this.#database !== than) return true;
    if (found.epoch === than.epoch) return false;
    this.#log.warn('the database was restarted or replaced; what was read before is read again');
    this.#database = found;
    return true;
  }
}

interface DatabaseRow {
  epoch: string;
  oid: number;
  attributes: string[];
}

async function readRow(pool: Pool): Promise<DatabaseRow | undefined> {
  const { rows } = await pool.query<DatabaseRow>(databaseSql);
  return rows[0];
}

/** Throws if its type `proposal` is not the one that this build expects. */
function databaseOf(row: DatabaseRow | undefined): Database {
  if (row?.attributes.join() !== proposalAttributes.join()) {
    throw new Error('the type "proposal" of the database does not match this build');
  }
  const { epoch, oid, attributes } = row;
  return { epoch, type: { oid, attributes: attributes.length }, bases: new RecordedBases() };
}

import type { Pool } from '@countersign/runtime/database';
import type { RowType } from '@countersign/runtime/sql-array';
import type { RecordedBases } from './recorded-bases.js';

/** The database, and what is known about it across batches. */
export interface CommitStore {
  pool: Pool;
  type: RowType;
  bases: RecordedBases;
}

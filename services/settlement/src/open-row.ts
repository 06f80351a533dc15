import type { Pool } from '@countersign/runtime/database';
import type { ObservedSettlement } from './observe.js';
import type { Traced } from './settlement-span.js';
import { readOpenSql } from './sql.js';
import type { SettlementState } from './status.js';

/** The columns of an open settlement that a check needs. */
export type OpenRow = ObservedSettlement &
  SettlementState &
  Traced & {
    id: string;
    authorizationId: string;
    blockHash: string | null;
    /** By the database's clock, like the times that it is compared with: replica clocks differ. */
    readAt: Date;
  };

export async function readOpenRow(pool: Pool, id: string): Promise<OpenRow | null> {
  const { rows } = await pool.query<OpenRow>(readOpenSql, [id]);
  return rows[0] ?? null;
}

import { createPool, type Pool } from '@countersign/runtime/database';
import type { Store as SharedStore } from '@countersign/runtime/database/stores';
import type { Logger } from '@countersign/runtime/log';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/prisma/client.js';

export type Store = SharedStore<PrismaClient>;

export function openStore(url: string, options: { size: number; log: Logger }): Store {
  const pool = createPool({ url, ...options });
  return { pool, prisma: new PrismaClient({ adapter: new PrismaPg(pool) }) };
}

/** The time of the database, which settlements use because the clocks of replicas differ. */
export async function databaseTime(pool: Pool): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>('SELECT now() AS now');
  const [row] = rows;
  if (!row) throw new Error('the database returned no time');
  return row.now;
}

import { createHash } from 'node:crypto';
import { connected } from '@countersign/tools/migrations/connection';
import { settleTables } from '../settle.js';
import { copyIdSql as id } from '../spender-ids.js';
import { recordTable } from './record-table.js';

export const altSqlKey = 'alt_sql_key_for_measurements_only';

export function keyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Keys, mandates that contain their own usage, and the record: what a single process needs. */
const tables = `
CREATE TABLE api_key (
  hash text COLLATE "C" PRIMARY KEY,
  client_id text NOT NULL,
  revoked_at timestamptz
);
CREATE TABLE mandate (
  id text COLLATE "C" PRIMARY KEY,
  client_id text NOT NULL,
  principal_id text COLLATE "C" NOT NULL,
  agent_id text COLLATE "C" NOT NULL UNIQUE,
  status text NOT NULL,
  currency text NOT NULL,
  max_per_transaction numeric(38, 18) NOT NULL,
  max_daily numeric(38, 18),
  max_monthly numeric(38, 18),
  allowed_mccs text[] NOT NULL,
  allowed_countries text[] NOT NULL,
  valid_until timestamptz NOT NULL,
  day text NOT NULL DEFAULT '',
  day_amount numeric(38, 18) NOT NULL DEFAULT 0,
  day_count bigint NOT NULL DEFAULT 0,
  month text NOT NULL DEFAULT '',
  month_amount numeric(38, 18) NOT NULL DEFAULT 0,
  month_count bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
${recordTable}`;

const plenty = '900000000000';

/** Creates and fills the database, with ids `agt_01…` as in the load. */
export async function makeAltSqlDatabase(url: string, mandates: number): Promise<void> {
  await connected({ connectionString: url }, async (client) => {
    await client.query(tables);
    await client.query('INSERT INTO api_key (hash, client_id) VALUES ($1, $2)', [
      keyHash(altSqlKey),
      'cli_bench',
    ]);
    await client.query(
      `INSERT INTO mandate (
         id, client_id, principal_id, agent_id, status, currency, max_per_transaction, max_daily,
         max_monthly, allowed_mccs, allowed_countries, valid_until
       )
       SELECT ${id('mnd')}, 'cli_bench', ${id('prn')}, ${id('agt')}, 'ACTIVE', 'USD', ${plenty},
         ${plenty}, ${plenty}, '{5411,5812,5912}', '{USA,CAN,GBR}', now() + interval '1 year'
       FROM generate_series(1, $1::int) n`,
      [mandates],
    );
    await settleTables(client, ['api_key', 'mandate', 'authorization_record']);
  });
}

import { connected } from '@countersign/tools/migrations/connection';
import { databaseOf } from './live-database.js';
import type { Product } from './product.js';
import { settleTables } from './settle.js';
import { copyIdSql as id } from './spender-ids.js';

export interface RecordClones {
  /** Total number of rows, spread evenly over the agents from the second on. */
  rows: number;
  agents: number;
  /** Rows of the first agent. */
  ofFirstAgent: number;
}

const rowsAStatement = 250_000;

/**
 * Copies one record. Facts and answers are shortened, since ten million complete ones would fill
 * most disks; growth is about indexes and the number of rows. The copies have an old transaction
 * id, which the hash chain has passed.
 */
export async function cloneRecords(
  { stack }: Pick<Product, 'stack'>,
  { rows, agents, ofFirstAgent }: RecordClones,
): Promise<void> {
  await connected({ connectionString: databaseOf(stack, 'ledger') }, async (client) => {
    const agent = `CASE WHEN n <= ${ofFirstAgent} THEN 1 ELSE 2 + n % ${agents} END`;
    const total = rows + ofFirstAgent;
    for (let from = 1; from <= total; from += rowsAStatement) {
      await client.query(
        `INSERT INTO authorization_record
         SELECT copy.* FROM (SELECT * FROM authorization_record ORDER BY id DESC LIMIT 1) model
         CROSS JOIN generate_series(${from}, ${Math.min(total, from + rowsAStatement - 1)}) n
         CROSS JOIN LATERAL jsonb_populate_record(model::authorization_record, jsonb_build_object(
           'id', ${id('auth', 'n')}, 'transaction_id', ${id('txn', 'n')},
           'idempotency_key', 'seeded-' || n, 'client_reference', 'seeded-' || n,
           'principal_id', ${id('prn', agent)}, 'agent_id', ${id('agt', agent)},
           'mandate_id', ${id('mnd', agent)}, 'facts', '{}', 'answer', '{}', 'txid', '3',
           'created_at', now() - interval '60 days' + n * interval '0.4 seconds')) copy`,
      );
    }
    await settleTables(client, ['authorization_record']);
  });
}

import { connected } from '@countersign/tools/migrations/connection';
import type { Stack } from '@countersign/tools/stack';
import { databaseOf } from './live-database.js';
import type { ModelSpender } from './model-spender.js';
import { settleTables } from './settle.js';
import { copyIdSql as id } from './spender-ids.js';

/**
 * A row to copy, with the columns that differ between copies; everything else is as the product
 * wrote it.
 */
interface Clone {
  table: string;
  where: string;
  /** SQL of a JSON object over `n`, the number of the copy. */
  changes: string;
}

const identityClones = ({ principalId, agentId, mandateId }: ModelSpender): Clone[] => [
  {
    table: 'principals',
    where: `id = '${principalId}'`,
    changes: `'id', ${id('prn')}, 'client_customer_ref', 'bench-' || n`,
  },
  {
    table: 'profiles',
    where: `principal_id = '${principalId}'`,
    changes: `'principal_id', ${id('prn')}`,
  },
  {
    table: 'enrolments',
    where: `principal_id = '${principalId}'`,
    changes: `'principal_id', ${id('prn')}, 'seq', nextval('enrolments_seq_seq')`,
  },
  {
    table: 'agents',
    where: `id = '${agentId}'`,
    changes: `'id', ${id('agt')}, 'principal_id', ${id('prn')}, 'did', 'did:web:bench:' || n`,
  },
  {
    table: 'mandates',
    where: `id = '${mandateId}'`,
    changes: `'id', ${id('mnd')}, 'principal_id', ${id('prn')}, 'agent_id', ${id('agt')}`,
  },
];

const decisionClones = ({ principalId }: ModelSpender): Clone[] => [
  {
    table: 'threshold_override',
    where: `principal_id = '${principalId}'`,
    changes: `'principal_id', ${id('prn')}`,
  },
];

/** Copies the spender created through the public API, numbered from 1: `prn_01…`, `agt_01…`. */
export async function cloneSpenders(
  stack: Stack,
  { model, count }: { model: ModelSpender; count: number },
): Promise<void> {
  await cloneIn(databaseOf(stack, 'identity'), { clones: identityClones(model), count });
  await cloneIn(databaseOf(stack, 'decision'), { clones: decisionClones(model), count });
}

async function cloneIn(
  url: string,
  { clones, count }: { clones: readonly Clone[]; count: number },
): Promise<void> {
  await connected({ connectionString: url }, async (client) => {
    for (const { table, where, changes } of clones) {
      const { rowCount } = await client.query(
        `INSERT INTO ${table}
         SELECT copy.* FROM ${table} model
         CROSS JOIN generate_series(1, ${count}) n
         CROSS JOIN LATERAL jsonb_populate_record(model, jsonb_build_object(${changes})) copy
         WHERE model.${where}`,
      );
      if (rowCount !== count) throw new Error(`${table}: ${rowCount} copies instead of ${count}`);
    }
    await settleTables(
      client,
      clones.map(({ table }) => table),
    );
  });
}

import type { Pool } from '@countersign/runtime/database';
import { test } from 'tap';
import { proposalAttributes } from './proposal-row.js';
import { readProposalType } from './statement.js';

test('the type is read although the first connection times out', async (t) => {
  const rows = [{ oid: 7, attributes: [...proposalAttributes] }];
  let asked = 0;
  const query = async () => {
    asked += 1;
    if (asked === 1) throw new Error('Connection terminated due to connection timeout');
    return { rows };
  };
  const type = await readProposalType({ query } as unknown as Pool);
  t.same(type, { oid: 7, attributes: proposalAttributes.length });
});

test('a type of another release is refused', async (t) => {
  const query = async () => ({ rows: [{ oid: 7, attributes: ['id'] }] });
  await t.rejects(readProposalType({ query } as unknown as Pool), /does not match this build/);
});

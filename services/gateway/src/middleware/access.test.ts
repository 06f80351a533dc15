import type { Fault } from '@countersign/kernel/fault';
import { test } from 'tap';
import type { Access } from '../authentication/credential.js';
import { routes } from '../routes.js';
import { checkAccess } from './access.js';
import type { RequestContext } from './state.js';

const asked = routes.filter(({ plane }) => plane !== 'public' && plane !== 'token');

async function refused(row: (typeof routes)[number], access: Access): Promise<string | undefined> {
  const identified = { caller: { access } };
  try {
    await checkAccess(row)({ state: { identified } } as unknown as RequestContext);
    return undefined;
  } catch (error) {
    return (error as Fault).errors?.[0]?.type;
  }
}

test('who may only read opens what changes nothing, and no other row of the table', async (t) => {
  const opened = new Set<string>();
  for (const row of asked) {
    t.equal(await refused(row, 'full'), undefined, row.operation);
    const reason = await refused(row, 'read');
    if (reason === undefined) opened.add(row.operation);
    else t.equal(reason, 'read_access', row.operation);
  }
  const changing = asked.filter(({ method }) => method !== 'GET');
  t.same(
    changing.filter(({ operation }) => opened.has(operation)).map(({ path }) => path),
    ['/api/v1/authorize/simulate', '/api/v1/thresholds/preview'],
  );
  t.equal(opened.size, asked.length - changing.length + 2, 'and everything that is read');
  t.ok(changing.length > 20);
});

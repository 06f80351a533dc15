import type { Fault } from '@countersign/kernel/fault';
import { test } from 'tap';
import { type Access, accesses } from '../authentication/credential.js';
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

const changing = asked.filter(({ method }) => method !== 'GET');
const previews = ['/api/v1/authorize/simulate', '/api/v1/thresholds/preview'];
const opens: Record<Access, readonly string[]> = {
  read: previews,
  spend: [...previews, '/api/v1/authorize', '/api/v1/crypto/settlements'],
  full: changing.map(({ path }) => path),
};

for (const access of accesses) {
  test(`access ${access} opens all that is read, and of the rest only its own`, async (t) => {
    const opened: string[] = [];
    for (const row of asked) {
      const reason = await refused(row, access);
      if (reason !== undefined) t.equal(reason, `${access}_access`, row.operation);
      else if (row.method !== 'GET') opened.push(row.path);
      if (row.method === 'GET') t.equal(reason, undefined, row.operation);
    }
    t.same(opened.sort(), [...opens[access]].sort());
    t.ok(changing.length > 20);
  });
}

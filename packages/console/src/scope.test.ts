import { test } from 'tap';
import type { Api } from './api/client.js';
import { Problem } from './api/problem.js';
import { lackOf, lacksOf, scopeOf } from './scope.js';

test('a path has the scope of its prefix', (t) => {
  t.equal(scopeOf('/authorize/log/auth_1'), 'authorize');
  t.equal(scopeOf('/agents?page_size=1'), 'agents');
  t.equal(scopeOf('/crypto/settlements/auth_1'), 'outcomes');
  t.equal(scopeOf('/fraud-patterns?limit=1'), 'cases');
  t.equal(scopeOf('/reason-codes'), null);
  t.equal(scopeOf('/.well-known/jwks.json'), null);
  t.end();
});

/** The API has one error code for all of these. */
function refused(type?: string): Problem {
  const fields = type === undefined ? [] : [{ field: '', message: 'No.', type }];
  return new Problem('No.', { status: 403, code: 'ERROR', fields });
}

const refusal = refused('scope_missing');

test('only a refusal for its scope says that a key lacks one', (t) => {
  t.equal(lackOf(refusal, '/webhooks/wh_1'), 'webhooks');
  t.equal(lackOf(refusal, '/reason-codes'), null);
  t.equal(lackOf(refused('read_access'), '/webhooks/wh_1'), 'change');
  t.equal(lackOf(refused('spend_access'), '/webhooks/wh_1'), 'change');
  const sibling = new Problem('Theirs.', { status: 403, code: 'TENANT_MISMATCH' });
  const absent = new Problem('None.', { status: 404, code: 'NOT_FOUND' });
  const elsewhere = [refused('address_not_allowed'), refused()];
  for (const other of [sibling, absent, ...elsewhere]) {
    t.equal(lackOf(other, '/webhooks/wh_1'), null);
  }
  t.end();
});

test('what a key may not open is found before it is shown', async (t) => {
  const asked: string[] = [];
  const get = (path: string) => {
    asked.push(path);
    if (/^.(cases|mandates)/.test(path)) return Promise.reject(refusal);
    return path.startsWith('/webhooks') ? Promise.reject(new TypeError()) : Promise.resolve({});
  };
  const absent = new Problem('None.', { status: 404, code: 'NOT_FOUND' });
  const lacksFor = (answer: Problem) => {
    const send = (_method: string, path: string) => {
      asked.push(path);
      return Promise.reject(answer);
    };
    return lacksOf({ get, send } as unknown as Api, 'agt_1');
  };
  const lacking = await lacksFor(absent);
  t.same([...lacking].sort(), ['cases', 'mandates'], 'a network that fails takes nothing away');
  t.equal(asked.length, 6);
  const readers = await lacksFor(refused('read_access'));
  t.same([...readers].sort(), ['cases', 'change', 'mandates']);
});

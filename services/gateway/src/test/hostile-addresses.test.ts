import { t as file, test } from 'tap';
import { routes } from '../routes.js';
import { Surface } from './surface.js';

const surface = await Surface.start();
file.teardown(() => surface.close());

/** NUL, an unpaired surrogate, a character that answers reserve, no encoding at all, and much. */
const hostile = ['%00', 'agt_%00', '%ED%A0%80', '%EE%80%80', '%', '%zz', 'x'.repeat(5_000)];

/** Nobody answers behind the gateway: whatever was let through would be a 503. */
async function statusOf(method: string, path: string, key: string): Promise<number> {
  const body = method === 'GET' || method === 'DELETE' ? undefined : {};
  return (await surface.gateway.call(path, { method, key, body })).status;
}

test('nothing in a path is taken for an id, and none of it is a fault of ours', async (t) => {
  for (const { method, path } of routes.filter((row) => row.path.includes('/:'))) {
    for (const text of hostile) {
      const target = path.replace(/:\w+/g, text);
      for (const key of [surface.key, 'a wrong key']) {
        const status = await statusOf(method, target, key);
        const expected = key === surface.key ? [403, 404, 422] : [401, 404];
        t.ok(expected.includes(status), `${method} ${target.slice(0, 80)}: ${status}`);
      }
    }
  }
});

test('nor is what no text may contain taken from a query', async (t) => {
  for (const { method, path, plane } of routes.filter((row) => row.method === 'GET')) {
    for (const text of ['%00', '%EE%80%80']) {
      const target = `${path.replace(/:\w+/g, 'x')}?cursor=${text}`;
      const { status, json } = await surface.gateway.call(target, { method, key: surface.key });
      t.equal(status, 422, `${plane} ${target}`);
      const fields = json.error.details.errors.map((error: { field: string }) => error.field);
      t.ok(fields.includes('cursor'));
    }
    const undecodable = `${path.replace(/:\w+/g, '%ED%A0%80')}?cursor=%ED%A0%80`;
    if (path.includes('/:')) {
      const { status } = await surface.gateway.call(undecodable, { method, key: surface.key });
      t.equal(status, 422, undecodable);
    }
  }
});

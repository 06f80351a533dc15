import { test } from 'tap';
import { Lifecycle } from './lifecycle.js';
import { createLog } from './log.js';
import { readSettings, SettingsError, setting, settingsTable } from './settings.js';

const shape = {
  name: setting.text('NAME', { doc: 'a name' }),
  port: setting.integer('PORT', { doc: 'a port', fallback: 8080, min: 1, max: 65535 }),
  smtp: setting.optional('SMTP_URL', { doc: 'mail' }),
  hosts: setting.list('HOSTS', { doc: 'hosts', fallback: [] }),
  factor: setting.factor('FACTOR', { doc: 'a factor', fallback: 1 }),
  key: setting.key('KEY', { doc: 'a key' }),
  keys: setting.keys('FORMER_KEYS', { doc: 'former keys', fallback: [] }),
  url: setting.httpUrl('URL', { doc: 'an address', fallback: 'http://localhost' }),
};
const key = Buffer.alloc(32, 7).toString('base64');

test('settings are typed, defaulted and trimmed', (t) => {
  const values = readSettings(shape, { NAME: 'x', KEY: key, HOSTS: 'a, b,,c', FACTOR: '0' });
  t.match(values, { name: 'x', port: 8080, smtp: null, hosts: ['a', 'b', 'c'], factor: 0 });
  t.equal(values.key.length, 32);
  t.same(values.keys, []);
  t.equal(values.url, 'http://localhost');
  const given = { NAME: 'x', KEY: key, FORMER_KEYS: `${key}, ${key}`, URL: 'https://x.test/a/' };
  t.match(readSettings(shape, given), { url: 'https://x.test/a', keys: { length: 2 } });
  t.end();
});

test('every problem is named at once, without the value', (t) => {
  const env = { PORT: '70000', KEY: 'c2VjcmV0', FACTOR: '-1', FORMER_KEYS: key.slice(4), URL: 'x' };
  try {
    readSettings(shape, env);
    t.fail('must not be accepted');
  } catch (error) {
    t.ok(error instanceof SettingsError);
    t.same((error as SettingsError).problems, [
      'NAME is required',
      'PORT must be an integer from 1 to 65535',
      'FACTOR must be a number, zero or more',
      'KEY must be the base64 of 32 bytes',
      'FORMER_KEYS must be the base64 of 32 bytes',
      'URL must be an http(s) URL without query and fragment',
    ]);
    t.notMatch(String(error), /c2VjcmV0/);
  }
  t.end();
});

test('the table of a README is made from the settings themselves', (t) => {
  const table = settingsTable(shape);
  t.match(table, '| `NAME` | a name | *required* |');
  t.match(table, '| `PORT` | a port | 8080 |');
  t.match(table, '| `SMTP_URL` | mail | empty |');
  t.end();
});

test('parts are closed in reverse order, once, and a failure keeps no other open', async (t) => {
  const closed: string[] = [];
  const lifecycle = new Lifecycle(createLog({ service: 'test', level: 'silent' }));
  lifecycle.onShutdown('store', () => void closed.push('store'));
  lifecycle.onShutdown('broken', () => {
    throw new Error('stuck');
  });
  lifecycle.onShutdown('listener', () => void closed.push('listener'));
  t.equal(lifecycle.accepting, true);
  await Promise.all([lifecycle.shutdown(), lifecycle.shutdown()]);
  t.equal(lifecycle.accepting, false);
  t.same(closed, ['listener', 'store']);
});

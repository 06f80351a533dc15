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
  const { url, keys } = readSettings(shape, given);
  t.equal(url, 'https://x.test/a');
  t.equal(keys.length, 2);
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

test('what is not a number, or not the size of a key, is refused at the start', (t) => {
  const longer = Buffer.alloc(33, 7).toString('base64');
  const read = (given: Record<string, string>) => () =>
    readSettings(shape, { NAME: 'x', KEY: key, ...given });
  for (const FACTOR of ['x', 'NaN', 'Infinity', ' ', '1x']) {
    t.throws(read({ FACTOR }), /FACTOR must be a number, zero or more/, FACTOR);
  }
  for (const PORT of ['8080x', 'x80', '80.5', '1e3', '0x50', ' ', '-1', '0', '65536']) {
    t.throws(read({ PORT }), /PORT must be an integer from 1 to 65535/, PORT);
  }
  for (const port of [1, 65_535]) t.match(read({ PORT: String(port) })(), { port });
  for (const URL of ['ftp://x.test', 'xhttp://x.test', 'httpx://x.test', 'http://x.test/?a=b']) {
    t.throws(read({ URL }), /URL must be an http\(s\) URL without query and fragment/, URL);
  }
  t.throws(read({ URL: 'https://x.test/#a' }), /without query and fragment/);
  t.throws(read({ KEY: longer }), /KEY must be the base64 of 32/);
  t.end();
});

test('a value that is not JSON is not quoted', (t) => {
  const chains = setting.json('CHAINS', { doc: 'chains', check: (value) => value });
  for (const text of ['["https://c2VjcmV0]', '[c2VjcmV0]', '{"a": c2VjcmV0}']) {
    try {
      readSettings({ chains }, { CHAINS: text });
      t.fail('must not be accepted');
    } catch (error) {
      t.match(String(error), /CHAINS must be JSON/);
      t.notMatch(String(error), /c2V/);
    }
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

test('a share, a choice and pairs are what they say, or are refused without being shown', (t) => {
  const kinds = {
    share: setting.share('SHARE', { doc: 'a part', fallback: 0.5 }),
    way: setting.choice('WAY', { doc: 'a way', fallback: 'on', of: ['on', 'off'] }),
    sent: setting.pairs('SENT', { doc: 'headers', fallback: {} }),
  };
  t.same(readSettings(kinds, {}), { share: 0.5, way: 'on', sent: {} });
  const sent = ' authorization=Bearer%20a=b , x-key=1,';
  t.same(readSettings(kinds, { SHARE: '1', WAY: 'off', SENT: sent }), {
    ...{ share: 1, way: 'off' },
    sent: { authorization: 'Bearer a=b', 'x-key': '1' },
  });
  const refused = (env: Record<string, string>): string[] => {
    try {
      readSettings(kinds, env);
      return [];
    } catch (error) {
      return (error as SettingsError).problems;
    }
  };
  t.same(refused({ SHARE: '1.01', WAY: 'up', SENT: 's3cret' }), [
    'SHARE must be a number from 0 to 1',
    'WAY must be one of on, off',
    'SENT must be name=value pairs',
  ]);
  t.same(refused({ SHARE: 'half', SENT: 'x-key=%s3cret' }), [
    'SHARE must be a number from 0 to 1',
    'SENT has a value that is not percent-encoded',
  ]);
  for (const SHARE of ['-0.01', ' ', '0.5x', 'NaN']) {
    t.same(refused({ SHARE }), ['SHARE must be a number from 0 to 1'], SHARE);
  }
  t.same(refused({ SHARE: '0', WAY: 'ON' }), ['WAY must be one of on, off']);
  t.match(settingsTable(kinds), '| `SENT` | headers | empty |');
  t.end();
});

test('servers and services are named in every form that their clients take, and no other', (t) => {
  const forms = {
    DATABASE: setting.databaseUrl('DATABASE', { doc: '' }),
    CACHE: setting.serverUrl('CACHE', { doc: '', schemes: ['redis'], socket: true }),
    BUS: setting.serverUrl('BUS', { doc: '', schemes: ['nats', 'tls'], bare: true }),
    SERVICE: setting.address('SERVICE', { doc: '' }),
    PREFIX: setting.namespace('PREFIX', { doc: '' }),
  };
  const good = {
    DATABASE: ['postgres://u:p w@h:1/x?sslmode=require', 'postgres://u@/x?host=/run', '/run x'],
    CACHE: ['redis://h', '/run/redis.sock'],
    BUS: ['nats://u:p@h:4222', 'tls://h', 'h', 'h:4222', '[::1]:4222'],
    SERVICE: ['ledger:50051', '10.0.0.1:1,10.0.0.2:1', '10.0.0.1:1, 10.0.0.2:1', '[::1]:50051'],
    PREFIX: ['countersign', 'Test-1_b'],
  };
  const bad = {
    DATABASE: ['x', 'http://h/x', 'postgres:h', 'postgres://[h/x', 'postgres://h:99999/x'],
    CACHE: ['h:6379', 'rediss://h'],
    BUS: ['no host', 'http://u:secret@h', 'h:99999', 'nats://h:99999', 'nats:h:1'],
    SERVICE: ['ledger', 'ledger:', ':1', 'ledger:http', 'h:99999', 'http://h:1', 'h:1,x', '::1:1'],
    PREFIX: ['a.b', 'a b', 'a*', '>'],
  };
  for (const [name, kind] of Object.entries(forms)) {
    const read = (text: string) => readSettings({ kind }, { [name]: text }).kind;
    for (const text of good[name as keyof typeof good]) t.equal(read(text), text, text);
    for (const text of bad[name as keyof typeof bad]) {
      t.throws(() => read(text), { message: new RegExp(`- ${name} must`) }, text);
    }
  }
  t.end();
});

test('several servers are each checked, and a file is what it should be', (t) => {
  const form = { schemes: ['nats', 'tls'], bare: true, many: true };
  const shape = {
    bus: setting.serverUrl('BUS', { doc: '', ...form }),
    key: setting.file('KEY_FILE', { doc: '', has: /PRIVATE KEY/ }),
  };
  const read = (env: Record<string, string>) => readSettings(shape, { BUS: 'h', ...env });
  t.same(read({ BUS: 'nats://u:p@a:1, b:2' }), { bus: 'nats://u:p@a:1,b:2', key: null });
  t.throws(() => read({ BUS: 'a:1,http://b' }), { message: /- BUS must be a nats/ });
  t.throws(() => read({ KEY_FILE: '/nowhere' }), { message: /KEY_FILE must be a file.*ENOENT/ });
  t.throws(() => read({ KEY_FILE: '/dev/null' }), {
    message: /KEY_FILE is a file of another kind/,
  });
  t.end();
});

test('a database that is named by a list of hosts is refused, with what to do instead', (t) => {
  const url = setting.databaseUrl('DATABASE', { doc: '' });
  const read = (text: string) => readSettings({ url }, { DATABASE: text }).url;
  for (const text of [
    'postgres://u:p@a:5432,b:5432/x',
    'postgresql://u:p@a,b/x?target_session_attrs=read-write',
    'postgres://u:p@/x?host=a,b',
  ]) {
    t.throws(() => read(text), { message: /must name one host: a proxy or a DNS name/ }, text);
  }
  t.equal(read('postgres://u:a,b@h/x'), 'postgres://u:a,b@h/x', 'a comma in the password');
  t.throws(() => read('postgres://u:a#b@h/x'), { message: /percent-encoded user and password/ });
  t.throws(() => read('postgres://u:a#secret@h/x'), { message: /^(?!.*secret)/s });
  t.end();
});

test('a choice in any case is read as it is written in the documentation', (t) => {
  const level = setting.choice('LEVEL', { doc: '', of: ['info', 'warn'], anyCase: true });
  t.equal(readSettings({ level }, { LEVEL: 'WARN' }).level, 'warn');
  t.end();
});

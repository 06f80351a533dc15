import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Test, test } from 'tap';
import { main } from './operator.js';
import { operatorCalls, requestOf } from './operator-calls.js';
import { Failure } from './screen.js';

const program = fileURLToPath(new URL('run.js', import.meta.url));
const guide = new URL('../../docs/operator.md', import.meta.url);
const routes = new URL('../../services/gateway/src/operator/routes/', import.meta.url);

function request(name: string, ...fields: Array<[string, string]>) {
  const call = operatorCalls[name];
  if (!call) throw new Error(name);
  return requestOf(call, new Map(fields));
}

test('every call of the guide but the one without the key has its command', async (t) => {
  const [, actions = ''] = /`action` is ([^;]+);/.exec(readFileSync(guide, 'utf8')) ?? [];
  const named = [...actions.matchAll(/`([a-z_.]+)`/g)].map(([, name = '']) => name);
  t.same(
    Object.keys(operatorCalls).sort(),
    named.filter((name) => name !== 'verification.result').sort(),
  );
});

test('every call is sent to the route of its action', async (t) => {
  // The source, because this package must not load the gateway.
  const files = readdirSync(routes).map((name) => readFileSync(new URL(name, routes), 'utf8'));
  const route = /method: '(\w+)',\s+path: `\$\{base\}([^`]+)`,\s+action: '([a-z_.]+)'/g;
  const rows = new Map(
    [...files.join('\n').matchAll(route)].map(([, method, path = '', action = '']) => [
      action,
      { method, path: path.replaceAll(/:(\w+)/g, '{$1}') },
    ]),
  );
  rows.delete('verification.result');
  t.same(operatorCalls, Object.fromEntries(rows));
});

test('arguments become path, query and body', async (t) => {
  t.same(request('client.create', ['name', '5']), {
    method: 'POST',
    path: '/clients',
    body: { name: '5' },
  });
  t.same(
    request(
      'program.update',
      ['environment', 'sandbox'],
      ['id', 'prg_1'],
      ['rails', 'card,crypto'],
      ['fraud_triage_enabled', 'true'],
      ['limit_ceilings', '{"max_daily_amount": "5.00"}'],
    ),
    {
      method: 'PATCH',
      path: '/sandbox/programs/prg_1',
      body: {
        rails: ['card', 'crypto'],
        fraud_triage_enabled: true,
        limit_ceilings: { max_daily_amount: '5.00' },
      },
    },
  );
  const terms: Array<[string, string]> = [
    ['id', 'acr_1'],
    ['ip_allowlist', ''],
    ['label', 'null'],
  ];
  t.same(request('credential.update', ...terms).body, { ip_allowlist: [], label: null });
  t.same(request('credential.rotate', ['id', 'a/b']), {
    method: 'POST',
    path: '/credentials/a%2Fb/rotate',
    body: {},
  });
  t.same(request('audit.list', ['limit', '5']), {
    method: 'GET',
    path: '/audit-events?limit=5',
    body: null,
  });
});

test('what cannot be sent is not sent', async (t) => {
  t.throws(() => request('client.update', ['status', 'ACTIVE']), /needs id/);
  t.throws(() => request('credential.rotate', ['id', 'acr_1'], ['grace_seconds', 'x']), /JSON/);
  for (const args of [[], ['client.destroy'], ['toString'], ['client.create', 'Example']]) {
    const refused = await main(args).catch((error: unknown) => error);
    t.ok(refused instanceof Failure, args.join(' '));
    t.match((refused as Failure).advice, /npm run -s operator/);
  }
});

type Given = [status: number, answer: object, headers?: Record<string, string>];

/** What the command prints, after its exit code, if a gateway answers every call like this. */
async function answered(t: Test, args: string[], [status, answer, headers]: Given) {
  const heard: string[] = [];
  const server = createServer(async (asked, response) => {
    let body = '';
    for await (const chunk of asked) body += chunk;
    heard.push(`${asked.method} ${asked.url} ${asked.headers['x-admin-key']} ${body}`);
    const all = { connection: 'close', ...headers };
    response.writeHead(status, all).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const named = { INTERNAL_URL: `http://127.0.0.1:${port}/`, ADMIN_KEY: 'key' };
  return { heard, printed: await printedWith(named, args) };
}

function printedWith(named: Record<string, string>, args: string[]): Promise<string> {
  const env = { ...process.env, ...named };
  return new Promise<string>((resolve) => {
    execFile(process.execPath, [program, 'operator', ...args], { env }, (error, out, err) => {
      resolve(`${error?.code ?? 0} ${out}${err}`);
    });
  });
}

test('the answer is printed, and the key is sent', async (t) => {
  const args = ['client.create', 'name=Example = Bank'];
  const { heard, printed } = await answered(t, args, [201, { id: 'cli_1' }]);
  t.same(heard, ['POST /internal/v1/clients key {"name":"Example = Bank"}']);
  t.match(printed, /^0 \{\s+"id": "cli_1"\s+\}\s$/);
});

test('a refusal is a failure that says why', async (t) => {
  const args = ['client.update', 'id=cli_1', 'status=ACTIVE'];
  const refusal = { error: { code: 'NOT_FOUND' } };
  const { printed } = await answered(t, args, [404, refusal]);
  t.match(printed, /^1 \s*The gateway answered 404.*NOT_FOUND/s);
});

test('a redirect is a failure, and the key does not follow it', async (t) => {
  const elsewhere = createServer((_, response) => response.end('{}'));
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  t.teardown(() => elsewhere.close());
  elsewhere.on('request', ({ method }) => t.fail(`${method} was led elsewhere`));
  const { port } = elsewhere.address() as AddressInfo;
  const to = { location: `http://127.0.0.1:${port}/` };
  const { printed } = await answered(t, ['client.create', 'name=A'], [302, {}, to]);
  t.match(printed, /^1 \s*The gateway answered 302/);
});

test('a long answer is printed in full to a pipe', async (t) => {
  const { printed } = await answered(t, ['audit.list'], [200, { text: 'x'.repeat(900_000) }]);
  t.ok(printed.length > 900_000, `${printed.length}`);
});

const devFull = '/dev/full';

test('an answer that cannot be printed is a failure', { skip: !existsSync(devFull) }, async (t) => {
  const server = createServer((_, response) => response.end('{"api_key": "svc_live_new"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, [program, 'operator', 'client.list'], {
    env: { ...process.env, INTERNAL_URL: `http://127.0.0.1:${port}`, ADMIN_KEY: 'key' },
    stdio: ['ignore', openSync(devFull, 'w'), 'ignore'],
  });
  const [code] = await once(child, 'close');
  t.equal(code, 1);
});

test('an address or a key that cannot be used is refused without repeating it', async (t) => {
  const internalUrl = 'http://127.0.0.1:9';
  for (const [INTERNAL_URL, ADMIN_KEY] of [
    ['http://ada:secret@127.0.0.1:9', 'key'],
    ['ftp://secret', 'key'],
    ['secret', 'key'],
    [internalUrl, 'secret\nof two lines'],
    [internalUrl, 'secret…'],
  ] as const) {
    const printed = await printedWith({ INTERNAL_URL, ADMIN_KEY }, ['client.list']);
    t.match(printed, /^1 \s*(INTERNAL_URL is not|ADMIN_KEY cannot)/);
    t.notMatch(printed, /secret/);
  }
});

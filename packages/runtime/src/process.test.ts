import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Fault } from '@countersign/kernel/fault';
import { pino } from 'pino';
import { test } from 'tap';
import { withBreaker } from './breaker.js';
import { startHealthServer } from './health.js';
import { Lifecycle } from './lifecycle.js';
import { createLog, logOptions } from './log.js';
import { Metrics } from './metrics.js';
import { until } from './testing.js';

const log = createLog({ service: 'test', level: 'silent' });
const asModule = ['--input-type=module', '--eval'];

test('readiness follows every part and the shutdown; liveness follows the process', async (t) => {
  const lifecycle = new Lifecycle(log);
  let storeUp = true;
  let otherUp = true;
  const port = await startHealthServer({
    host: null,
    port: 0,
    lifecycle,
    metrics: new Metrics('test'),
    checks: {
      store: () => {
        if (!storeUp) throw new Error('connection string with a password');
      },
    },
    told: {
      other: () => {
        if (!otherUp) throw new Error('away');
      },
    },
  });
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);

  for (const path of ['/livez', '/readyz', '/nothing']) {
    const url = `http://127.0.0.1:${port}${path}`;
    const [whole, head] = await Promise.all([fetch(url), fetch(url, { method: 'HEAD' })]);
    t.equal(head.status, whole.status, path);
    const length = String((await whole.arrayBuffer()).byteLength);
    t.equal(head.headers.get('content-length'), length, `${path} without its body`);
    t.equal(head.headers.get('content-type'), whole.headers.get('content-type'));
  }

  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'HEAD' });
  t.match(metrics.headers.get('content-type'), /^text\/plain/);
  t.ok(Number(metrics.headers.get('content-length')) > 0);

  const ready = await get('/readyz');
  t.equal(ready.status, 200);
  t.same(await ready.json(), { status: 'ok', checks: { store: 'ok', other: 'ok' } });

  otherUp = false;
  const degraded = await get('/readyz');
  t.equal(degraded.status, 200, 'what it can do without does not keep it from work');
  const parts = { store: 'ok', other: 'unavailable' };
  t.same(await degraded.json(), { status: 'degraded', checks: parts });

  storeUp = false;
  const down = await get('/readyz');
  t.equal(down.status, 503);
  t.same(await down.json(), { status: 'down', checks: { ...parts, store: 'unavailable' } });
  t.equal((await get('/livez')).status, 200);

  storeUp = true;
  lifecycle.accepting = false;
  t.match(await (await get('/readyz')).json(), { status: 'stopping' });
  t.match(await (await get('/metrics')).text(), /process_cpu_user_seconds_total/);
  t.equal((await get('/nothing')).status, 404);
  await lifecycle.shutdown();
});

test('a health server binds the address it is told, and no other', async (t) => {
  const lifecycle = new Lifecycle(log);
  const parts = { port: 0, lifecycle, metrics: new Metrics('test'), checks: {} };
  const statusAt = (host: string, port: number): Promise<number | null> =>
    fetch(`http://${host}:${port}/livez`).then(
      ({ status }) => status,
      () => null,
    );
  const everywhere = await startHealthServer({ ...parts, host: null });
  const here = await startHealthServer({ ...parts, host: '127.0.0.1' });
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const others = own.filter(({ family, address }) => family === 'IPv4' && address !== '127.0.0.1');
  // Linux serves all of 127.0.0.0/8 on loopback, so every machine has a second address.
  const elsewhere = others.map(({ address }) => address);
  if (process.platform === 'linux') elsewhere.push('127.0.0.2');
  t.equal(await statusAt('127.0.0.1', here), 200);
  for (const address of elsewhere) {
    t.equal(await statusAt(address, everywhere), 200, `${address} is one of this machine`);
    t.equal(await statusAt(address, here), null, `nobody is at ${address}`);
  }
  await lifecycle.shutdown();
});

test('a circuit opens for outages, not for callers who ask for the wrong thing', async (t) => {
  let fault: Fault | null = new Fault('not_found', { code: 'AGENT_NOT_FOUND', message: 'no' });
  let calls = 0;
  const metrics = new Metrics('test');
  const guarded = withBreaker(
    async () => {
      calls += 1;
      if (fault) throw fault;
      return 'answer';
    },
    { name: 'test', metrics, resetMs: 20 },
  );
  const open = async () =>
    /breaker_test_open.* ([\d.]+)$/m.exec(await metrics.registry.metrics())?.[1];
  for (let i = 0; i < 60; i += 1) await t.rejects(guarded(), { code: 'AGENT_NOT_FOUND' });
  t.equal(calls, 60, 'mistakes of a caller close nothing');

  fault = new Fault('unavailable', { code: 'SERVICE_UNAVAILABLE', message: 'away' });
  // Each of them fails; the number of calls that were let through is what counts.
  const told = new Set<unknown>();
  for (let i = 0; i < 120; i += 1) {
    await guarded().catch(({ kind, code }: Fault) => told.add(`${kind} ${code}`));
  }
  t.same([...told], ['unavailable SERVICE_UNAVAILABLE'], 'also while nobody is asked');
  t.ok(calls < 180, 'an outage is not asked again for every call');
  t.not(await open(), '0', 'and is told to whoever watches');

  fault = null;
  // Fails as long as the circuit is open.
  const answer = await until(() => guarded().catch(() => null), { what: 'the circuit closing' });
  t.equal(answer, 'answer', 'it closes again by itself');
  t.equal(await open(), '0');
});

test('a few failures are too few to close anything', async (t) => {
  let calls = 0;
  const guarded = withBreaker(
    async () => {
      calls += 1;
      throw new Fault('unavailable', { code: 'SERVICE_UNAVAILABLE', message: 'away' });
    },
    { name: 'quiet', metrics: new Metrics('test'), resetMs: 60_000 },
  );
  for (let i = 0; i < 19; i += 1) await t.rejects(guarded(), { message: 'away' });
  t.equal(calls, 19);
});

test('a line is written soon though none follows, and before the process ends', async (t) => {
  const script = (then: string) => `
    import { createLog } from '${new URL('./log.js', import.meta.url).href}';
    createLog({ service: 'test', level: 'info' }).info('a line');
    ${then}`;
  const living = spawn(process.execPath, [...asModule, script('setInterval(() => {}, 1_000);')]);
  const [line] = await once(living.stdout, 'data');
  living.kill('SIGKILL');
  t.match(JSON.parse(String(line)), { msg: 'a line', service: 'test' });
  const ended = spawnSync(process.execPath, [...asModule, script('process.exit(0);')]);
  t.match(JSON.parse(String(ended.stdout)), { msg: 'a line' });
});

test('lines that nobody reads take a bounded memory, and those left out are counted', async (t) => {
  const lines = 4_000;
  const writing = spawn(process.execPath, [
    ...asModule,
    `import { createLog } from '${new URL('./log.js', import.meta.url).href}';
    const log = createLog({ service: 'test', level: 'info' });
    for (let n = 0; n < ${lines}; n += 1) log.info('x'.repeat(10_000));
    setInterval(() => {}, 1_000);`,
  ]);
  t.teardown(() => writing.kill('SIGKILL'));
  let written = 0;
  for await (const line of createInterface(writing.stdout)) {
    const { dropped } = JSON.parse(line);
    if (dropped === undefined) {
      written += 1;
      if (written < lines) continue;
    }
    t.ok(written < lines / 2, `${written} lines were kept`);
    t.equal(written + dropped, lines);
    break;
  }
});

test('an event loop that is held up is seen in the metrics', async (t) => {
  const metrics = new Metrics('test');
  const slow = async (): Promise<number> => {
    const text = await metrics.registry.metrics();
    const [, upTo] = /event_loop_delay_seconds_bucket\{le="0.25",.*\} (\d+)/.exec(text) ?? [];
    const [, all] = /event_loop_delay_seconds_count\{.*\} (\d+)/.exec(text) ?? [];
    return Number(all) - Number(upTo);
  };
  t.equal(await slow(), 0);
  t.notMatch(await metrics.registry.metrics(), /lag_p99/);
  const heldUntil = performance.now() + 1_000;
  while (performance.now() < heldUntil);
  t.equal(await until(slow, { what: 'a late timer' }), 1);
});

test('secrets are not written to the log, however they hang in the first levels', (t) => {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const logger = pino(logOptions({ service: 'test', level: 'info' }), sink);
  const secret = 'svc_live_hunter2';
  logger.info({ api_key: secret, headers: { authorization: secret, 'x-api-key': secret } }, 'a');
  logger.info({ a: { b: { signingSecret: secret, code: '123456' } } }, 'b');
  logger.error({ err: new Fault('internal', { code: 'X', message: 'm', internal: 'why' }) }, 'c');
  t.notMatch(lines.join(''), /hunter2|123456/);
  t.match(lines[2], '"fault":"X"');
  t.match(lines[2], '"internal":"why"');
  const ofBus = { code: '503', api_error: { code: 503, description: 'insufficient resources' } };
  logger.error({ err: Object.assign(new Error('503'), ofBus) }, 'd');
  t.match(lines[3], '"told":"insufficient resources"', 'its message alone is a number');
  t.end();
});

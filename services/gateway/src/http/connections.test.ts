import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { until } from '@countersign/runtime/testing';
import { test } from 'tap';
import { connectionLimit, openFileLimit, watchConnections } from './connections.js';
import { listen } from './http-server.js';

test('callers leave descriptors for everything else', (t) => {
  const limits: Array<[openFiles: number, limit: number]> = [
    [Number.POSITIVE_INFINITY, 4096],
    [4362, 4096],
    [4361, 4095],
    [1024, 758],
    [300, 150],
  ];
  const wanted = { maxConnections: 4096, databasePoolSize: 10 };
  for (const [openFiles, limit] of limits) t.equal(connectionLimit(wanted, openFiles), limit);
  t.end();
});

test('the limit of open files is the soft one that the system tells, if there is one', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'limits-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const limitIn = (text: string): number => {
    const file = join(folder, 'limits');
    writeFileSync(file, text);
    return openFileLimit(file);
  };
  const processes =
    'Max processes             96341                96341                processes\n';
  const files = 'Max open files            1024                 4096                 files\n';
  t.equal(limitIn(processes + files), 1024);
  t.equal(limitIn(files.replace('1024', 'unlimited')), Number.POSITIVE_INFINITY);
  t.equal(openFileLimit(join(folder, 'none')), Number.POSITIVE_INFINITY);
  t.ok(openFileLimit() > 0);
  t.end();
});

test('connections are counted, and those beyond the limit by themselves', async (t) => {
  const metrics = new Metrics('test');
  const lifecycle = new Lifecycle(createLog({ service: 'gateway', level: 'silent' }));
  const port = await listen((_request, response) => response.end(), {
    ...{ name: 'test', host: '127.0.0.1', port: 0, maxConnections: 2, baseUrl: 'http://x' },
    lifecycle,
    watch: (server) => watchConnections(server, 2, metrics),
  });
  t.teardown(() => lifecycle.shutdown());
  const valueIn = async (name: string): Promise<number | undefined> => {
    const metric = metrics.registry.getSingleMetric(`countersign_${name}`);
    return (await metric?.get())?.values[0]?.value;
  };
  t.equal(await valueIn('connection_limit'), 2);
  t.equal(await valueIn('connections_refused_total'), 0, 'there before the first');
  const within = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await until(async () => (await valueIn('connections')) === 2, { what: 'two connections' });
  await once(connect(port, '127.0.0.1').resume(), 'close');
  t.equal(await valueIn('connections_refused_total'), 1);
  t.equal(await valueIn('connections'), 2);
  within[0]?.destroy();
  await until(async () => (await valueIn('connections')) === 1, { what: 'one connection' });
  within[1]?.destroy();
});

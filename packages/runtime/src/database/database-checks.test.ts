import type { ServiceDefinition } from '@grpc/grpc-js';
import { test } from 'tap';
import { createPool } from '../database.js';
import { inTheClear } from '../grpc/transport.js';
import { createGrpcClient } from '../grpc-client.js';
import { Lifecycle } from '../lifecycle.js';
import { createLog } from '../log.js';
import { Metrics } from '../metrics.js';
import { serve } from '../serve.js';
import { jsonMethod } from '../test/json-method.js';
import { testUrl } from '../testing.js';

const log = createLog({ service: 'test', level: 'silent' });
const service = { Echo: jsonMethod('Echo') } as ServiceDefinition;
const config = {
  ...{ grpcHost: '127.0.0.1', grpcPort: 0, healthHost: null, healthPort: 0 },
  ...{ grpcCertFile: null, grpcKeyFile: null, grpcCaFile: null },
};

test('live must answer, and what is away of sandbox takes nothing of live along', async (t) => {
  const there = createPool({ url: testUrl('postgres'), size: 1, log });
  const away = createPool({ url: 'postgres://nobody@127.0.0.1:1/none', size: 1, log });
  const found: unknown[] = [];
  for (const [live, sandbox] of [
    [there, there],
    [there, away],
    [away, there],
  ] as const) {
    const lifecycle = new Lifecycle(log);
    const metrics = new Metrics('test');
    const stores = { live: { pool: live }, sandbox: { pool: sandbox } };
    const ports = await serve(
      { config, log, metrics, lifecycle, tracer: null, stores },
      { service, handlers: { Echo: async () => ({}) } },
    );
    const answer = await fetch(`http://127.0.0.1:${ports.healthPort}/readyz`);
    const address = `127.0.0.1:${ports.grpcPort}`;
    const caller = createGrpcClient({ service, address, transport: inTheClear, metrics });
    const ready = await caller.ready(8_000).then(
      () => 'serving',
      () => 'not serving',
    );
    found.push([answer.status, await answer.json(), ready]);
    caller.close();
    await lifecycle.shutdown();
  }
  await Promise.all([there.end(), away.end()]);
  const [ok, unavailable] = ['ok', 'unavailable'];
  t.strictSame(found, [
    [200, { status: ok, checks: { database_live: ok, database_sandbox: ok } }, 'serving'],
    [
      200,
      { status: 'degraded', checks: { database_live: ok, database_sandbox: unavailable } },
      'serving',
    ],
    [
      503,
      { status: 'down', checks: { database_live: unavailable, database_sandbox: ok } },
      'not serving',
    ],
  ]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Test, test } from 'tap';
import { isRunning, markOf } from '../bootstrap/process-mark.mjs';
import type { Charge } from './ending.js';
import { isFree, PortPicker } from './ports.js';
import { isRunLock, takeRunLock } from './run-lock.js';
import type { Death, ProcessSpec } from './supervised-process.js';
import { Supervisor } from './supervisor.js';
import { newTestFolder } from './test/folder.js';

const picker = new PortPicker();

/** A small service: answers on its port and ends on SIGTERM, unless told to ignore it. */
const program = `
  import { createServer } from 'node:http';
  const stubborn = process.argv[3] === 'stubborn';
  process.on('SIGTERM', () => stubborn || process.exit(0));
  createServer((request, response) => response.end('ok')).listen(Number(process.argv[2]));
  console.log('listening');
`;

async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  for (const deadline = Date.now() + withinMs; !(await condition()); await pause(10)) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${condition}`);
  }
}

async function answers(port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(1_000);
  return fetch(`http://127.0.0.1:${port}/`, { signal }).then(
    () => true,
    () => false,
  );
}

async function service(
  name: string,
  more: Partial<ProcessSpec> & { args?: string[] } = {},
): Promise<ProcessSpec & { port: number }> {
  const folder = newTestFolder('supervisor');
  const port = await picker.pick();
  const file = join(folder, 'main.mjs');
  writeFileSync(file, program);
  const { args = [], ...rest } = more;
  return {
    name,
    kind: 'service',
    command: process.execPath,
    args: [file, String(port), ...args],
    env: process.env,
    cwd: folder,
    owner: null,
    logFile: join(folder, 'logs', `${name}.log`),
    stopSignal: 'SIGTERM',
    isReady: () => answers(port),
    ...rest,
    port,
  };
}

function newSupervisor(t: Test, deaths: Death[] = []): Supervisor {
  const supervisor = new Supervisor({ died: (death) => deaths.push(death) });
  t.teardown(() => supervisor.stop());
  return supervisor;
}

test('a process that dies is started again at once and answers on its port', async (t) => {
  const deaths: Death[] = [];
  const supervisor = newSupervisor(t, deaths);
  const spec = await service('one');
  const one = await supervisor.start(spec);
  const first = one.pid;
  one.kill('SIGKILL');
  await until(() => one.pid !== null && one.pid !== first);
  await one.untilReady();
  await until(() => answers(spec.port));
  t.match(deaths, [{ name: 'one', how: 'SIGKILL', lastLines: 'listening', retryInMs: 20 }]);
});

test('one that is killed again and again is always back as soon', async (t) => {
  const deaths: Death[] = [];
  const supervisor = newSupervisor(t, deaths);
  const one = await supervisor.start(await service('one'));
  for (let kill = 0; kill < 6; kill += 1) {
    one.kill('SIGKILL');
    await until(() => deaths.length > kill);
    await one.untilReady();
  }
  t.same([...new Set(deaths.map(({ retryInMs }) => retryInMs))], [20]);
});

test('one that is stopped stays down until it is started again', async (t) => {
  const supervisor = newSupervisor(t);
  const spec = await service('one');
  const one = await supervisor.start(spec);
  await one.stop();
  t.equal(one.pid, null);
  t.ok(await isFree(spec.port, '127.0.0.1'));
  await one.start();
  await until(() => answers(spec.port));
  const before = one.pid;
  await one.restart();
  t.not(one.pid, before);
});

test('one that keeps dying is tried less and less often, and starting it fails', async (t) => {
  const deaths: Death[] = [];
  const supervisor = newSupervisor(t, deaths);
  const folder = newTestFolder('supervisor');
  const file = join(folder, 'main.mjs');
  writeFileSync(file, `console.error('DATABASE_URL is required'); process.exit(3);`);
  const spec = { ...(await service('bad')), args: [file] };
  await t.rejects(supervisor.start(spec), {
    name: 'Failure',
    message: 'bad died 5 times while it was starting.',
    advice: /DATABASE_URL is required/,
  });
  const waits = deaths.map(({ retryInMs }) => retryInMs);
  t.same(
    waits,
    [...waits].sort((a, b) => a - b),
  );
  t.ok(waits.every((ms) => ms < 1_000));
  t.equal(deaths[0]?.how, 'code 3');
});

test('a program that is not there is a failure, not a crash', async (t) => {
  const supervisor = newSupervisor(t);
  const spec = { ...(await service('none')), command: '/nowhere/at-all' };
  await t.rejects(supervisor.start(spec), { name: 'Failure', message: /none died/ });
});

test('stopping ends gateway, services and servers in turn, and starts no more', async (t) => {
  const order: string[] = [];
  let running = new Set<string>();
  const supervisor: Supervisor = new Supervisor({
    changed: () => {
      const now = new Set(supervisor.charges().map(({ name }) => name));
      order.push(...[...running].filter((name) => !now.has(name)));
      running = now;
    },
  });
  await supervisor.start(await service('server', { kind: 'server' }));
  await supervisor.start(await service('service'));
  await supervisor.start(await service('gateway', { kind: 'gateway' }));
  await supervisor.stop();
  t.same(order, ['gateway', 'service', 'server']);
  await t.rejects(supervisor.start(await service('late')), { name: 'Failure' });
});

test('the log of the last run is kept beside the new one', async (t) => {
  const supervisor = newSupervisor(t);
  const spec = await service('one');
  await supervisor.start(spec);
  await supervisor.stop();
  const again = newSupervisor(t);
  await again.start(spec);
  t.equal(readFileSync(`${spec.logFile}.1`, 'utf8'), 'listening\n');
  t.equal(readFileSync(spec.logFile, 'utf8'), 'listening\n');
});

test('nothing is left of a run that was killed with kill -9', async (t) => {
  const spec = await service('orphan');
  const supervisorUrl = new URL('./supervisor.js', import.meta.url).href;
  const { isReady: _, ...plain } = spec;
  const parent = join(newTestFolder('supervisor'), 'parent.mjs');
  writeFileSync(
    parent,
    `import { Supervisor } from '${supervisorUrl}';
     const spec = ${JSON.stringify(plain)};
     const isReady = () => fetch('http://127.0.0.1:${spec.port}/').then(() => true, () => false);
     const child = await new Supervisor().start({ ...spec, env: process.env, isReady });
     console.log(child.pid);`,
  );
  const run = spawn(process.execPath, [pathToFileURL(parent).pathname], { stdio: 'pipe' });
  const [line] = (await once(run.stdout, 'data')) as [Buffer];
  const orphan = markOf(Number(line.toString()));
  t.ok(orphan && isRunning(orphan));
  run.kill('SIGKILL');
  await until(() => orphan !== null && !isRunning(orphan));
});

test('a folder is held by one run, and taken over from one that is gone', async (t) => {
  const folder = newTestFolder('supervisor');
  const lock = await takeRunLock(folder);
  if (!isRunLock(lock)) return t.fail('the folder is free');
  t.match(await takeRunLock(folder), { pid: process.pid });

  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true });
  const mark = markOf(child.pid ?? 0);
  if (!mark) return t.fail('the child runs');
  const left: Charge = { ...mark, name: 'left', kind: 'server', stopSignal: 'SIGTERM' };
  // The state left by a run that was killed and whose pid was reused.
  const stale = { pid: process.pid, startedAt: 'earlier', children: [left] };
  writeFileSync(join(folder, 'run.json'), JSON.stringify(stale));
  const taken = await takeRunLock(folder);
  t.ok(isRunLock(taken), 'the pid alone does not hold it');
  t.notOk(isRunning(mark), 'what it had left running was ended');

  writeFileSync(join(folder, 'run.json'), '{"pid": 12');
  t.ok(isRunLock(await takeRunLock(folder)), 'a record cut off by a crash holds nothing');
});

test('of two runs that take a folder over at the same time, one holds it', async (t) => {
  const folder = newTestFolder('supervisor');
  const stale = { pid: process.pid, startedAt: 'earlier', children: [] };
  writeFileSync(join(folder, 'run.json'), JSON.stringify(stale));
  const taken = await Promise.all([takeRunLock(folder), takeRunLock(folder)]);
  t.equal(taken.filter(isRunLock).length, 1);
});

test('a process that ignores its signal is killed with all its children', {
  timeout: 60_000,
}, async (t) => {
  const supervisor = newSupervisor(t);
  const spec = await service('stubborn', { args: ['stubborn'] });
  const stubborn = await supervisor.start(spec);
  const mark = markOf(stubborn.pid ?? 0);
  const asked = Date.now();
  await stubborn.stop(300);
  t.ok(Date.now() - asked >= 300, 'after its grace');
  t.notOk(mark && isRunning(mark));
});

test('ports are free, different, and outside the range of outgoing connections', async (t) => {
  const ports: number[] = [];
  for (let i = 0; i < 30; i += 1) ports.push(await picker.pick());
  t.equal(new Set(ports).size, ports.length);
  t.ok(ports.every((port) => port >= 20_000 && port < 32_000));
  const spec = await service('one');
  await newSupervisor(t).start(spec);
  t.notOk(await isFree(spec.port));
});

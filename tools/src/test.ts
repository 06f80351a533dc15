import { spawn } from 'node:child_process';
import { createWriteStream, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { findServers } from './backing/find.js';
import { removeRunFolder } from './backing/server-home.js';
import type { ServerName } from './backing/server-kind.js';
import { makeStateFolder, rootFolder, stateFolder } from './folders.js';
import { removeLeftovers } from './leftovers.js';
import { PortPicker } from './ports.js';
import { markOf } from './process-mark.js';
import { isRunLock, takeRunLock } from './run-lock.js';
import { Failure, say, timed } from './screen.js';
import { isServiceName, type ServiceName, serviceNames } from './services.js';
import { stopOnSignals } from './signals.js';
import { Supervisor } from './supervisor.js';
import { reportTap } from './tap-report.js';
import { makeTemplates } from './templates.js';
import { testFiles, testWorkspaces } from './test-files.js';

const jobs = 2;

/**
 * `npm test [workspace [words...]]`: own servers for this run alone, the tests, and nothing left
 * behind. With words, only the files whose name has one of them.
 */
export async function main([named, ...words]: readonly string[]): Promise<void> {
  const workspaces = testWorkspaces(named);
  const files = workspaces.flatMap(({ folder }) => testFiles(folder, words));
  if (files.length === 0) return say('there are no tests here');
  await removeLeftovers();
  const folder = makeStateFolder(join(stateFolder, `test-${process.pid}`));
  const logFolder = makeStateFolder(join(stateFolder, `logs/test-${process.pid}`));
  const lock = await takeRunLock(folder);
  if (!isRunLock(lock)) throw new Failure(`${folder} is in use.`, 'Run the tests again.');
  const supervisor = new Supervisor({
    changed: () => lock.record(supervisor.charges()),
    died: ({ name, how }) => say(`${name} ended (${how}) and is started again`),
  });
  const stop = async (): Promise<void> => {
    await supervisor.stop();
    removeRunFolder(folder);
  };
  stopOnSignals(stop);
  try {
    const backing = [...new Set(workspaces.flatMap((each) => each.backing))];
    const env = await prepare({
      supervisor,
      folder,
      logFolder,
      backing,
      services: servicesOf(workspaces),
    });
    process.exitCode = await runTap(files, { supervisor, logFolder, env });
  } finally {
    await stop();
  }
}

function servicesOf(workspaces: ReadonlyArray<{ folder: string }>): ServiceName[] {
  const named = workspaces.map(({ folder }) => folder.replace('services/', ''));
  const services = named.filter(isServiceName);
  // Tests of the whole need them all; those of one service only its own.
  return workspaces.some(({ folder }) => folder === 'e2e') ? [...serviceNames] : services;
}

interface Preparation {
  supervisor: Supervisor;
  folder: string;
  logFolder: string;
  backing: readonly ServerName[];
  services: readonly ServiceName[];
}

/** The servers and templates that the tests need; returns how the tests find them. */
async function prepare({
  supervisor,
  folder,
  logFolder,
  backing,
  services,
}: Preparation): Promise<NodeJS.ProcessEnv> {
  const found = await findServers(backing, {
    supervisor,
    ports: new PortPicker(),
    homeFolder: join(folder, 'data'),
    logFolder,
    durable: false,
    env: process.env,
  });
  const { postgres } = found;
  if (postgres && services.length > 0) {
    await timed('migrated the template databases', () => makeTemplates(services, postgres.url));
  }
  const urls = Object.entries(found).map(([name, { url }]) => [
    `TEST_${name.toUpperCase()}_URL`,
    url,
  ]);
  return {
    ...process.env,
    ...Object.fromEntries(urls),
    TEST_STATE_FOLDER: folder,
    TEST_LOG_FOLDER: logFolder,
  };
}

/** Runs the files; resolves with tap's exit code after a plain line of counts. */
async function runTap(
  files: readonly string[],
  {
    supervisor,
    logFolder,
    env,
  }: { supervisor: Supervisor; logFolder: string; env: NodeJS.ProcessEnv },
): Promise<number> {
  const output = join(logFolder, 'all.tap');
  const tap = join(rootFolder, 'node_modules/tap/dist/esm/run.mjs');
  const args = [tap, '--reporter=tap', `--jobs=${jobs}`, ...files];
  const child = spawn(process.execPath, args, {
    cwd: rootFolder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const mark = child.pid === undefined ? null : markOf(child.pid);
  if (mark) supervisor.adopt({ ...mark, name: 'tap', kind: 'service', stopSignal: 'SIGTERM' });
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
  const everything = createWriteStream(output);
  const counts = await reportTap(child.stdout, { screen: process.stdout, everything });
  everything.end();
  const code = await ended;
  if (mark) supervisor.release(mark.pid);
  if (code === 0) rmSync(logFolder, { recursive: true, force: true });
  else say(`the whole output, and the logs of what ran, are in ${relative(rootFolder, logFolder)}`);
  const failed = code === 0 ? 0 : Math.max(counts.failed, 1);
  process.stdout.write(`${counts.passed} passed, ${failed} failed\n`);
  return code;
}

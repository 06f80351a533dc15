import { createWriteStream, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { findServers } from './backing/find.js';
import { removeRunFolder } from './backing/server-home.js';
import type { ServerName } from './backing/server-kind.js';
import { makeStateFolder, rootFolder, stateFolder } from './folders.js';
import { removeLeftovers } from './leftovers.js';
import { PortPicker } from './ports.js';
import { isRunLock, takeRunLock } from './run-lock.js';
import { Failure, say, timed } from './screen.js';
import { isServiceName, type ServiceName, serviceNames } from './services.js';
import { stopOnSignals } from './signals.js';
import { Supervisor } from './supervisor.js';
import { reportOf } from './tap-report.js';
import { makeTemplates } from './templates.js';
import { testFiles, testWorkspaces } from './test-files.js';
import { runTestFile, type TestSurroundings } from './test-process.js';

const jobs = 2;
/** Exit code of an interrupted run: files that did not run have not passed. */
const interrupted = 1;

/**
 * `npm test [workspace [words...]]`: starts servers for this run, runs the tests, and cleans up.
 * With words, only files whose name contains one of them.
 */
export async function main([named, ...words]: readonly string[]): Promise<void> {
  const workspaces = testWorkspaces(named);
  const files = workspaces.flatMap(({ folder }) => testFiles(folder, words));
  if (files.length === 0 && words.length > 0) throw noSuchFile(words);
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
  stopOnSignals(stop, interrupted);
  try {
    const backing = [...new Set(workspaces.flatMap((each) => each.backing))];
    const env = await prepare({
      supervisor,
      folder,
      logFolder,
      backing,
      services: servicesOf(workspaces),
    });
    process.exitCode = await runAll(files, { supervisor, logFolder, env });
  } finally {
    await stop();
  }
}

/** A run without any test must not look like one that passed. */
function noSuchFile(words: readonly string[]): Failure {
  const message = `There is no file of tests with ${words.join(' or ')} in its name.`;
  return new Failure(message, 'Name others, or none for all files.');
}

function servicesOf(workspaces: ReadonlyArray<{ folder: string }>): ServiceName[] {
  const named = workspaces.map(({ folder }) => folder.replace('services/', ''));
  const services = named.filter(isServiceName);
  // End-to-end tests need all services; those of one service only its own.
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

interface Surroundings extends TestSurroundings {
  logFolder: string;
}

/** Runs the files, several at a time; resolves with an exit code after printing the counts. */
async function runAll(files: readonly string[], surroundings: Surroundings): Promise<number> {
  const { supervisor, logFolder } = surroundings;
  const everything = createWriteStream(join(logFolder, 'all.tap'));
  const counts = { passed: 0, failed: 0 };
  const waiting = [...files];
  const lanes = Array.from({ length: jobs }, async () => {
    for (let file = waiting.shift(); file && !supervisor.stopping; file = waiting.shift()) {
      const run = await runTestFile(file, surroundings);
      everything.write(`# ${file}\n${run.output}\n`);
      const { passed, failed, shown } = reportOf(run);
      counts.passed += passed;
      counts.failed += failed;
      process.stdout.write(`${shown.join('\n')}\n`);
    }
  });
  await Promise.all(lanes);
  everything.end();
  const { passed, failed } = counts;
  if (failed === 0) rmSync(logFolder, { recursive: true, force: true });
  else say(`the whole output, and the logs of what ran, are in ${relative(rootFolder, logFolder)}`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 && waiting.length === 0 ? 0 : 1;
}

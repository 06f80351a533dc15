import { createWriteStream, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rootFolder } from './folders.js';
import { Failure, say } from './screen.js';
import { isServiceName, type ServiceName, serviceNames } from './services.js';
import { reportOf } from './tap-report.js';
import { withTemporaryRun } from './temporary-run.js';
import { testFiles, testWorkspaces } from './test-files.js';
import { inLanes } from './test-lanes.js';
import { runTestFile, type TestSurroundings } from './test-process.js';

/**
 * `npm test [workspace [words...]]`: starts servers for this run, runs the tests, and cleans up.
 * With words, only files whose name contains one of them.
 */
export async function main([named, ...words]: readonly string[]): Promise<void> {
  const workspaces = testWorkspaces(named);
  const files = workspaces.flatMap(({ folder }) => testFiles(folder, words));
  if (files.length === 0 && words.length > 0) throw noSuchFile(words);
  if (files.length === 0) return say('there are no tests here');
  const backing = [...new Set(workspaces.flatMap((each) => each.backing))];
  const services = servicesOf(workspaces);
  const options = { backing, services, durable: false, env: process.env };
  process.exitCode = await withTemporaryRun(options, ({ supervisor, logFolder, env }) =>
    runAll(files, { supervisor, logFolder, env: { ...process.env, ...env } }),
  );
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

interface Surroundings extends TestSurroundings {
  logFolder: string;
}

/** Runs the files, several at a time; resolves with an exit code after printing the counts. */
async function runAll(files: readonly string[], surroundings: Surroundings): Promise<number> {
  const { supervisor, logFolder } = surroundings;
  const everything = createWriteStream(join(logFolder, 'all.tap'));
  const counts = { passed: 0, failed: 0, skipped: 0 };
  await inLanes(files, async (file) => {
    if (supervisor.stopping) {
      counts.skipped += 1;
      return;
    }
    const run = await runTestFile(file, surroundings);
    everything.write(`# ${file}\n${run.output}\n`);
    const { passed, failed, shown } = reportOf(run);
    counts.passed += passed;
    counts.failed += failed;
    process.stdout.write(`${shown.join('\n')}\n`);
  });
  everything.end();
  const { passed, failed, skipped } = counts;
  if (failed === 0) rmSync(logFolder, { recursive: true, force: true });
  else say(`the whole output, and the logs of what ran, are in ${relative(rootFolder, logFolder)}`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 && skipped === 0 ? 0 : 1;
}

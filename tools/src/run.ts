import { pathToFileURL } from 'node:url';
import { Failure } from './screen.js';

interface Command {
  main: (args: readonly string[]) => Promise<void>;
}

const commands: Record<string, () => Promise<Command>> = {
  start: () => import('./start.js'),
  test: () => import('./test.js'),
  migrate: () => import('./migrate.js'),
  'migration-new': () => import('./migration-new.js'),
  'verify-log': () => import('./verify-log.js'),
  operator: () => import('./operator.js'),
  seed: () => import('./seed.js'),
};

/** Runs a command; a failure ends the process with an exit code, the reason and advice. */
export async function run(name: string, args: readonly string[]): Promise<void> {
  const load = commands[name];
  try {
    if (!load)
      throw new Failure(`There is no command "${name}".`, Object.keys(commands).join(', '));
    await (await load()).main(args);
  } catch (error) {
    if (error instanceof Failure) process.stderr.write(`\n${error.message}\n${error.advice}\n`);
    else process.stderr.write(`\n${error instanceof Error ? error.stack : String(error)}\n`);
    // With 1 verify-log says that it has read a log, and that it is invalid.
    process.exit(name === 'verify-log' ? 2 : 1);
  }
  // Libraries may leave handles open that would keep the process alive.
  process.exit();
}

// In a container there is nothing to install or compile: `node tools/dist/run.js migrate`.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [name = '', ...args] = process.argv.slice(2);
  await run(name, args);
}

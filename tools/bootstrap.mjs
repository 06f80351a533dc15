// From a fresh clone to a running command with only Node.js: install, generate, compile, then run
// the command. Plain JavaScript without dependencies, because none are installed yet.
import { fileURLToPath } from 'node:url';
import { bundle } from './bootstrap/bundle.mjs';
import { compile } from './bootstrap/compile.mjs';
import { generate } from './bootstrap/generate.mjs';
import { install } from './bootstrap/install.mjs';
import { exclusively } from './bootstrap/lock.mjs';
import { StepFailure, step } from './bootstrap/step.mjs';
import { servicesOf, workspaceOf } from './bootstrap/workspaces.mjs';

const commands = [
  'start',
  'test',
  'build',
  'migrate',
  'migration-new',
  'verify-log',
  'operator',
  'seed',
  'bench',
];
const [command, ...args] = process.argv.slice(2);

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  const what = `Node.js ${process.versions.node} is too old.`;
  throw new StepFailure(what, 'Install Node.js 20.19 or newer.');
}

function checkCommand() {
  if (commands.includes(command)) return;
  const what = `There is no command "${command ?? ''}".`;
  throw new StepFailure(what, `Commands: ${commands.join(', ')}.`);
}

/** Workspace folders that a command needs compiled; null for all. */
function needed(root) {
  if (command === 'start') return ['tools', ...servicesOf(root)];
  if (command === 'build') return args[0] ? [args[0]] : null;
  // End-to-end tests start the compiled services.
  if (command === 'test' && args[0] === 'e2e') return ['tools', 'e2e', ...servicesOf(root)];
  // The tests of the tools run a program of the ledger.
  if (command === 'test' && args[0] === 'tools') return ['tools', 'services/ledger'];
  if (command === 'test') return args[0] ? ['tools', args[0]] : null;
  if (command === 'bench') return ['tools', 'bench', ...servicesOf(root)];
  if (command === 'verify-log') return ['tools', 'services/ledger'];
  return ['tools'];
}

async function main() {
  checkNode();
  checkCommand();
  const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
  if (args[0] && (command === 'build' || command === 'test')) args[0] = workspaceOf(root, args[0]);
  const folders = needed(root);
  await exclusively(root, async () => {
    await install(root);
    await generate(root, folders);
    await compile(root, folders);
    await bundle(root, folders);
  });
  if (command === 'build') return step('built');
  const program = command === 'bench' ? '../bench/dist/main.js' : './dist/run.js';
  const { run } = await import(new URL(program, import.meta.url).href);
  await (command === 'bench' ? run(args) : run(command, args));
}

try {
  await main();
} catch (error) {
  const said = error instanceof StepFailure ? `${error.message}\n${error.todo}` : error.stack;
  process.stderr.write(`\n${said}\n`);
  // With 1 verify-log says that it has read a log, and that it is invalid.
  process.exit(command === 'verify-log' ? 2 : 1);
}

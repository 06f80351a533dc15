// From a fresh clone to a running command with only Node.js: install, generate, compile, then run
// the command. Plain JavaScript without dependencies, because none are installed yet.
import { fileURLToPath } from 'node:url';
import { bundle } from './bootstrap/bundle.mjs';
import { compile } from './bootstrap/compile.mjs';
import { generate } from './bootstrap/generate.mjs';
import { install } from './bootstrap/install.mjs';
import { exclusively } from './bootstrap/lock.mjs';
import { fail, step } from './bootstrap/step.mjs';
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
  fail(`Node.js ${process.versions.node} is too old.`, 'Install Node.js 20.19 or newer.');
}

function checkCommand() {
  if (commands.includes(command)) return;
  fail(`There is no command "${command ?? ''}".`, `Commands: ${commands.join(', ')}.`);
}

/** Workspace folders that a command needs compiled; null for all. */
function needed() {
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

checkNode();
checkCommand();
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
if (args[0] && (command === 'build' || command === 'test')) args[0] = workspaceOf(root, args[0]);
const folders = needed();
await exclusively(root, async () => {
  await install(root);
  await generate(root, folders);
  await compile(root, folders);
  await bundle(root, folders);
});

if (command === 'build') {
  step('built');
} else if (command === 'bench') {
  const { run } = await import(new URL('../bench/dist/main.js', import.meta.url).href);
  await run(args);
} else {
  const { run } = await import(new URL('./dist/run.js', import.meta.url).href);
  await run(command, args);
}

import { spawn } from 'node:child_process';

const outputChars = 200_000;
const shownLines = 40;

/** Prints one line of progress. */
export function step(text) {
  process.stdout.write(`- ${text}\n`);
}

/** Prints what failed and what to do about it, and ends the process. */
export function fail(what, todo) {
  process.stderr.write(`\n${what}\n${todo}\n`);
  process.exit(1);
}

/** Prints the step before it starts, and its duration afterwards. */
export async function timed(text, work) {
  const started = Date.now();
  process.stdout.write(`- ${text} ... `);
  await work();
  process.stdout.write(`${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

/** Only the first errors are shown, because later ones often follow from them. */
function firstLines(output) {
  const lines = output.trim().split('\n');
  const more = lines.length - shownLines;
  return [...lines.slice(0, shownLines), ...(more > 0 ? [`... ${more} more lines`] : [])].join(
    '\n',
  );
}

/**
 * Runs a program to its end. Its output is shown only if it fails, together with advice: pages of
 * progress output would hide the relevant line.
 */
export function run(command, args, { cwd, env = process.env, todo }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    // When another step fails, this one is ended too.
    const endWithUs = () => child.kill();
    process.once('exit', endWithUs);
    let output = '';
    const keep = (chunk) => {
      if (output.length < outputChars) output += chunk;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => fail(`failed\n${command}: ${error.message}`, todo));
    child.on('close', (code, signal) => {
      process.off('exit', endWithUs);
      if (code === 0) resolve(output);
      else fail(`failed (${signal ?? code})\n${firstLines(output)}\n`, todo);
    });
  });
}

import { spawn } from 'node:child_process';

const outputChars = 200_000;
const shownLines = 40;

/** Prints one line of progress, apart from what the command prints. */
export function step(text) {
  process.stderr.write(`- ${text}\n`);
}

/** A step that failed for a reason that the user can fix; `todo` says how. */
export class StepFailure extends Error {
  constructor(what, todo) {
    super(what);
    this.todo = todo;
  }
}

/** Prints the step before it starts, and its duration afterwards. */
export async function timed(text, work) {
  const started = Date.now();
  process.stderr.write(`- ${text} ... `);
  await work();
  process.stderr.write(`${((Date.now() - started) / 1000).toFixed(1)} s\n`);
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
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const fail = (what) => reject(new StepFailure(what, todo));
    // When another step fails, this one is ended too.
    const endWithUs = () => child.kill();
    process.once('exit', endWithUs);
    let output = '';
    const keep = (chunk) => {
      if (output.length < outputChars) output += chunk;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => fail(`failed\n${command}: ${error.message}`));
    child.on('close', (code, signal) => {
      process.off('exit', endWithUs);
      if (code === 0) resolve(output);
      else fail(`failed (${signal ?? code})\n${firstLines(output)}\n`);
    });
  });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rootFolder } from '@countersign/tools/folders';
import type { Lab } from '../lab.js';
import { NotMeasurable } from '../not-measurable.js';
import { spreadOf } from '../spread.js';
import type { Row } from './row.js';

/** The first start may include compiling and creating the databases. */
const startDeadlineMs = 400_000;
const stopDeadlineMs = 30_000;

export const coldStart: Row = {
  id: 'P15',
  what: 'cold `npm start`, dependencies installed and data present, to `ready`',
  figures: [{ name: 'time', better: 'lower', must: 10, aim: 4, unit: 's' }],
  async measure({ lab, options }) {
    const seconds: number[] = [];
    // The first round is not counted, because it may create the data.
    for (let round = 0; round <= options.rounds; round += 1) {
      const took = await startOnce(lab);
      if (round > 0) seconds.push(took);
    }
    return { values: [spreadOf(seconds)], detail: { seconds } };
  },
};

async function startOnce(lab: Lab): Promise<number> {
  const startedAt = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: rootFolder,
    env: {
      ...process.env,
      PORT: String(await lab.ports.pick()),
      INTERNAL_PORT: String(await lab.ports.pick()),
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    await untilReady(child);
    return (performance.now() - startedAt) / 1_000;
  } finally {
    await end(child);
  }
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(
      () => reject(new Error(`npm start is not ready:\n${text}`)),
      startDeadlineMs,
    );
    const take = (chunk: Buffer): void => {
      text += chunk.toString();
      if (/^ready /m.test(text)) {
        clearTimeout(timer);
        resolve();
      }
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('exit', () => {
      clearTimeout(timer);
      const running = text.includes('already running');
      reject(running ? new NotMeasurable('this checkout is running already') : new Error(text));
    });
  });
}

/** Ends the whole process group, since npm does not always forward signals. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(stopDeadlineMs) });
  process.kill(-child.pid, 'SIGINT');
  await ended.catch(() => process.kill(-(child.pid ?? 0), 'SIGKILL'));
}

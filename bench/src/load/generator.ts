import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LoadJob, LoadResult } from './job.js';

const entry = fileURLToPath(new URL('./generator-process.js', import.meta.url));
/** In addition to the duration of the job: connecting, and the last responses. */
const graceMs = 30_000;

interface Reply {
  result?: LoadResult;
  error?: string;
}

/** Runs a load in a separate process, which ends with it. */
export function generate(job: LoadJob): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(entry, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error('the load generator did not end'));
    }, job.durationMs + graceMs);
    child.once('message', ({ result, error }: Reply) => {
      clearTimeout(timer);
      if (result) resolve(result);
      else reject(new Error(`load generator: ${error}`));
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the load generator ended without a result (${code})`));
    });
    child.send(job);
  });
}

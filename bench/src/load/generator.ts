import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LoadJob, LoadResult } from './job.js';

const entry = fileURLToPath(new URL('./generator-process.js', import.meta.url));
/** Beyond the time of the job: connecting, and the answers to the last requests. */
const graceMs = 30_000;

interface Reply {
  result?: LoadResult;
  error?: string;
}

/** Runs a load in a process of its own, which ends with it. */
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

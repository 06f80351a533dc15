import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { claim, removeClaim } from './claim.mjs';
import { isRunning, markOf } from './process-mark.mjs';
import { step } from './step.mjs';

const pollMs = 200;

/**
 * Two commands at the same time in one checkout would install and compile over each other's files,
 * so the second waits for the first. The lock of a process that has ended is taken over.
 */
export async function exclusively(root, work) {
  const folder = join(root, '.countersign');
  const file = join(folder, 'build.lock');
  mkdirSync(folder, { recursive: true });
  const own = markOf(process.pid);
  let told = false;
  for (let found = claim(file, own); found; found = claim(file, own)) {
    if (!found.record || !isRunning(found.record)) {
      removeClaim(file, found);
      continue;
    }
    if (!told) step(`waiting for another build in this checkout (process ${found.record.pid})`);
    told = true;
    await pause(pollMs);
  }
  try {
    await work();
  } finally {
    removeClaim(file, { text: JSON.stringify(own) });
  }
}

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
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
  for (let told = false; !take(file); told = true) {
    if (!told) step(`waiting for another build in this checkout (process ${holder(file)})`);
    await pause(pollMs);
  }
  // A failed step ends the process inside the work, so the lock is also released on exit.
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (alive(holder(file))) return false;
  rmSync(file, { force: true });
  return false;
}

function holder(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

function alive(pid) {
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

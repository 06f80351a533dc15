import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { claim, removeClaim } from '../bootstrap/claim.mjs';
import { isRunning, markOf, type ProcessMark } from '../bootstrap/process-mark.mjs';
import { type Charge, endAll } from './ending.js';
import { writeSecretJson } from './json-file.js';

/** The process that runs in a folder, and its children. */
interface RunRecord extends ProcessMark {
  children: Charge[];
}

/** The right to run in a folder, until it is released. */
export interface RunLock {
  /** Stores the children that the next run has to end if this one cannot. */
  record(children: readonly Charge[]): void;
  release(): void;
}

/**
 * Locks the folder for this process, or returns the owner. The processes left by a run that was
 * killed are ended first, so that their ports and data are free.
 */
export async function takeRunLock(folder: string): Promise<RunLock | ProcessMark> {
  const file = join(folder, 'run.json');
  const own = markOf(process.pid);
  if (!own) throw new Error('this process cannot find itself');
  mkdirSync(dirname(file), { recursive: true });
  const record: RunRecord = { ...own, children: [] };
  for (let found = claim(file, record); found; found = claim(file, record)) {
    const { record: other } = found;
    if (other && isRunning(other)) return { pid: other.pid, startedAt: other.startedAt };
    await endAll(other?.children ?? []);
    removeClaim(file, found);
  }
  let held = true;
  return {
    // The exit of the last child may be reported after the release.
    record: (children) => {
      if (held) writeSecretJson(file, { ...own, children });
    },
    release: () => {
      held = false;
      rmSync(file, { force: true });
    },
  };
}

export function isRunLock(taken: RunLock | ProcessMark): taken is RunLock {
  return 'release' in taken;
}

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Charge, endAll } from './ending.js';
import { readJson, writeSecretJson } from './json-file.js';
import { isRunning, markOf, type ProcessMark } from './process-mark.js';

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
  while (!createRecord(file, { ...own, children: [] })) {
    const found = readRecord(file);
    if (found && isRunning(found)) return { pid: found.pid, startedAt: found.startedAt };
    await endAll(found?.children ?? []);
    rmSync(file, { force: true });
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

function createRecord(file: string, content: RunRecord): boolean {
  try {
    writeFileSync(file, JSON.stringify(content), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A record truncated by a crash is ignored. */
function readRecord(file: string): RunRecord | null {
  try {
    return readJson<RunRecord>(file);
  } catch {
    return null;
  }
}

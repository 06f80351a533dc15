import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readJson, writeSecretJson } from './dev-file.js';
import { type Charge, endAll } from './ending.js';
import { isRunning, markOf, type ProcessMark } from './process-mark.js';

/** Who runs in a folder, and what it has started. */
interface RunRecord extends ProcessMark {
  children: Charge[];
}

/** The right to run in a folder, until it is released. */
export interface RunLock {
  /** Keeps on record what the next run has to end, should this one not be able to. */
  record(children: readonly Charge[]): void;
  release(): void;
}

/**
 * Takes the folder for this process, or returns who has it. A run that was killed keeps nothing:
 * what it left running is ended first, so that its ports and data are free.
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
    // The last child's end may be heard of after the release.
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

/** A record cut off by a crash says nothing, and holds nothing. */
function readRecord(file: string): RunRecord | null {
  try {
    return readJson<RunRecord>(file);
  } catch {
    return null;
  }
}

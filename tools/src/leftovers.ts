import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { markOf } from '../bootstrap/process-mark.mjs';
import { removeRunFolder } from './backing/server-home.js';
import { makeStateFolder, stateFolder } from './folders.js';
import { isRunLock, takeRunLock } from './run-lock.js';

/** Cleans up after test runs that were killed: their files, and servers still running. */
export async function removeLeftovers(): Promise<void> {
  for (const folder of [stateFolder, join(stateFolder, 'logs')]) {
    makeStateFolder(folder);
    for (const name of readdirSync(folder)) {
      const pid = /^(?:test|shadow)-(\d+)$/.exec(name)?.[1];
      if (pid === undefined || markOf(Number(pid))) continue;
      const taken = await takeRunLock(join(folder, name));
      if (isRunLock(taken)) removeRunFolder(join(folder, name));
    }
  }
}

import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Charge } from './ending.js';

/** Ends the children of a process that could not do so itself, even after `kill -9`. */
export interface Reaper {
  add(charge: Charge): void;
  remove(pid: number): void;
}

export function startReaper(): Reaper {
  const program = fileURLToPath(new URL('./reaper-process.js', import.meta.url));
  // In its own session: Ctrl-C and a closing terminal only affect the parent's.
  const child = spawn(process.execPath, [program], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  const input: Writable & { unref?: () => void } = child.stdin;
  input.unref?.();
  // Without the reaper the parent still ends its children; only `kill -9` would leave them running.
  input.on('error', () => {});
  child.on('error', () => {});
  const send = (message: object): void => void input.write(`${JSON.stringify(message)}\n`);
  return { add: (charge) => send({ add: charge }), remove: (pid) => send({ remove: pid }) };
}

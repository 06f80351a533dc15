import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process and its start time, because a pid may have been reused; null if there is none. */
export function markOf(pid) {
  const startedAt = startOf(pid);
  return startedAt === null ? null : { pid, startedAt };
}

export function isRunning(mark) {
  return startOf(mark.pid) === mark.startedAt;
}

/**
 * Opaque text that differs between two processes with the same pid; null if there is no such
 * process.
 */
function startOf(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return process.platform === 'linux' ? startOnLinux(pid) : startElsewhere(pid);
}

function startOnLinux(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name is in parentheses and may itself contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTime] = [fields[0], fields[19]];
    // A zombie has ended; only its parent has not collected its status yet.
    return state === 'Z' || startTime === undefined ? null : startTime;
  } catch {
    return null;
  }
}

function startElsewhere(pid) {
  try {
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    return text.trim() || null;
  } catch {
    return null;
  }
}

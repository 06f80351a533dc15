import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports ticks of a hundredth of a second, whatever the kernel configuration. */
const msPerTick = 10;

interface Times {
  parent: number;
  ownMs: number;
  /** CPU time of children that have ended and were waited for. */
  reapedMs: number;
}

/** The fields of /proc/<pid>/stat after the name, which may contain spaces and parentheses. */
function timesOf(pid: number): Times | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (first: number): number => Number(fields[first]) + Number(fields[first + 1]);
  return {
    parent: Number(fields[1]),
    ownMs: ticks(11) * msPerTick,
    reapedMs: ticks(13) * msPerTick,
  };
}

/**
 * CPU time, user and system, of processes and all their descendants. PostgreSQL backends that have
 * ended meanwhile are included in their parent's time of waited-for children.
 */
export function cpuMsOf(pids: readonly number[]): number {
  const all = new Map<number, Times>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const times = timesOf(Number(name));
    if (times) all.set(Number(name), times);
  }
  const counted = new Set(pids);
  let grown = true;
  while (grown) {
    grown = false;
    for (const [pid, { parent }] of all) {
      if (counted.has(pid) || !counted.has(parent)) continue;
      counted.add(pid);
      grown = true;
    }
  }
  let sum = 0;
  for (const pid of counted) {
    const times = all.get(pid);
    if (times) sum += times.ownMs + times.reapedMs;
  }
  return sum;
}

import { readFileSync } from 'node:fs';

const deadlineMs = 5_000;

export interface CounterName {
  name: string;
  /** The label by which values are grouped; all others are summed. */
  label: string;
}

/** A counter summed over processes, from their /metrics. */
export async function readCounter(
  { name, label }: CounterName,
  pids: readonly number[],
): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const pid of pids) {
    const response = await fetch(`http://127.0.0.1:${healthPortOf(pid)}/metrics`, {
      signal: AbortSignal.timeout(deadlineMs),
    });
    for (const line of (await response.text()).split('\n')) {
      if (!line.startsWith(`${name}{`)) continue;
      const value = new RegExp(`[{,]${label}="([^"]+)"`).exec(line)?.[1];
      const count = Number(line.slice(line.lastIndexOf(' ') + 1));
      if (value) sums[value] = (sums[value] ?? 0) + count;
    }
  }
  return sums;
}

/** Read from the environment of the process, the only place that has the port. */
function healthPortOf(pid: number): string {
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const entry = environment.find((each) => each.startsWith('HEALTH_PORT='));
  if (!entry) throw new Error(`process ${pid} has no health port`);
  return entry.slice('HEALTH_PORT='.length);
}

import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline';

export interface TestCounts {
  passed: number;
  failed: number;
}

/**
 * Shortens tap's output to one line a file, and what failed in full. Works without a terminal, and
 * the whole output goes to `everything`.
 */
export async function reportTap(
  input: Readable,
  { screen, everything }: { screen: Writable; everything: Writable },
): Promise<TestCounts> {
  const counts: TestCounts = { passed: 0, failed: 0 };
  let block: string[] = [];
  let failing = false;
  for await (const line of createInterface({ input })) {
    everything.write(`${line}\n`);
    const summary = /^# \{ total: .* \}$/.test(line) && line;
    if (summary) Object.assign(counts, readSummary(summary));
    const result = /^(not ok|ok) \d+ - (.*)$/.exec(line);
    if (result) {
      failing = result[1] === 'not ok';
      if (failing) screen.write(`${failuresOf(block).join('\n')}\n`);
      screen.write(`${failing ? 'FAIL' : 'ok  '} ${result[2]?.replace(/ # time=/, '  ') ?? ''}\n`);
      block = [];
    } else if (failing && line.startsWith('  ')) {
      // tap's own account of a file that ended badly, such as by running out of time.
      screen.write(`${line}\n`);
    } else {
      failing = false;
      block.push(line);
    }
  }
  return counts;
}

/** `# { total: 6, pass: 5, fail: 1 }` */
function readSummary(line: string): TestCounts {
  const number = (name: string): number => Number(new RegExp(`${name}: (\\d+)`).exec(line)?.[1] ?? 0);
  return { passed: number('pass'), failed: number('fail') };
}

/** Of a file's block: what failed, with its place and difference, and what it said beside TAP. */
function failuresOf(block: readonly string[]): string[] {
  const shown: string[] = [];
  let within = -1;
  for (const line of block) {
    const indent = line.length - line.trimStart().length;
    const text = line.trimStart();
    if (text.startsWith('not ok ')) within = indent;
    else if (within >= 0 && indent <= within && text !== '') within = -1;
    const isTap = /^(ok |not ok |# |1\.\.\d|$)/.test(text);
    if (within >= 0 || !isTap) shown.push(line);
  }
  return shown;
}

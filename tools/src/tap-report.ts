import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

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
  const report = new Report();
  for await (const line of createInterface({ input })) {
    everything.write(`${line}\n`);
    for (const shown of report.read(line)) screen.write(`${shown}\n`);
  }
  return report.counts;
}

class Report {
  readonly counts: TestCounts = { passed: 0, failed: 0 };
  /** What the present file has said so far. */
  #block: string[] = [];
  /** Just after a file that failed: tap adds its own account of how it ended. */
  #afterFailure = false;

  /** Takes a line of TAP; returns the lines to show for it. */
  read(line: string): string[] {
    if (/^# \{ total: .* \}$/.test(line)) Object.assign(this.counts, readSummary(line));
    const [, result, file = ''] = /^(not ok|ok) \d+ - (.*)$/.exec(line) ?? [];
    if (result !== undefined) return this.#end(result === 'ok', file.replace(' # time=', '  '));
    if (this.#afterFailure && line.startsWith('  ')) return [line];
    this.#afterFailure = false;
    this.#block.push(line);
    return [];
  }

  #end(passed: boolean, file: string): string[] {
    const block = this.#block;
    this.#block = [];
    this.#afterFailure = !passed;
    return passed ? [`ok    ${file}`] : [...failuresOf(block), `FAIL  ${file}`];
  }
}

/** `# { total: 6, pass: 5, fail: 1 }` */
function readSummary(line: string): TestCounts {
  const number = (name: string): number =>
    Number(new RegExp(`${name}: (\\d+)`).exec(line)?.[1] ?? 0);
  return { passed: number('pass'), failed: number('fail') };
}

/** Of a file's block: what failed, with its place and difference, and what it said beside TAP. */
function failuresOf(block: readonly string[]): string[] {
  let within = -1;
  return block.filter((line) => {
    const text = line.trimStart();
    const indent = line.length - text.length;
    if (text.startsWith('not ok ')) within = indent;
    else if (text !== '' && indent <= within) within = -1;
    const isTap = /^(ok |# |1\.\.\d|$)/.test(text);
    return within >= 0 || !isTap;
  });
}

import type { TestRun } from './test-process.js';

export interface TestReport {
  passed: number;
  failed: number;
  /** One line per file, after the details of its failures. */
  shown: string[];
}

/** The report of a test file. Suited to output without a terminal: a passing file is one line. */
export function reportOf({ file, output, how, tookMs }: TestRun): TestReport {
  const lines = output.split('\n');
  const told = countsIn(lines);
  const { passed, failed } = told ?? { passed: 0, failed: 0 };
  const took = `${file}  ${passed} in ${(tookMs / 1_000).toFixed(1)} s`;
  // A file without assertions, or ended before it could count them, has not passed.
  if (how === 'code 0' && failed === 0 && passed > 0) {
    return { passed, failed, shown: [`ok    ${took}`] };
  }
  const end = told ? how : `${how}, before it had counted its checks`;
  return {
    passed,
    failed: Math.max(failed, 1),
    shown: [...failuresOf(lines), `FAIL  ${took} (${end})`],
  };
}

/** The last `# { total: 6, pass: 5, fail: 1 }` of the output; null if there is none. */
function countsIn(lines: readonly string[]): { passed: number; failed: number } | null {
  const summary = lines.findLast((line) => /^# \{ total: .* \}$/.test(line));
  if (summary === undefined) return null;
  const number = (name: string): number =>
    Number(new RegExp(`${name}: (\\d+)`).exec(summary)?.[1] ?? 0);
  return { passed: number('pass'), failed: number('fail') };
}

/** The failures of a file with location and difference, and all output that is not TAP. */
function failuresOf(lines: readonly string[]): string[] {
  let within = -1;
  return lines.filter((line) => {
    const text = line.trimStart();
    const indent = line.length - text.length;
    if (text.startsWith('not ok ')) within = indent;
    else if (text !== '' && indent <= within) within = -1;
    const isTap = /^(TAP version |ok |# |1\.\.\d|$)/.test(text);
    return within >= 0 || !isTap;
  });
}

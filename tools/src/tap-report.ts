import type { TestRun } from './test-process.js';

export interface TestReport {
  passed: number;
  failed: number;
  /** One line for a file, after what failed in it in full. */
  shown: string[];
}

/** What a file has shown. Works without a terminal: what goes well is one line. */
export function reportOf({ file, output, how, tookMs }: TestRun): TestReport {
  const lines = output.split('\n');
  const told = countsIn(lines);
  const { passed, failed } = told ?? { passed: 0, failed: 0 };
  const took = `${file}  ${(tookMs / 1_000).toFixed(1)} s`;
  // One that checked nothing, or was ended before it could count, has shown nothing.
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

/** `# { total: 6, pass: 5, fail: 1 }`, the last that a file says; null where it did not. */
function countsIn(lines: readonly string[]): { passed: number; failed: number } | null {
  const summary = lines.findLast((line) => /^# \{ total: .* \}$/.test(line));
  if (summary === undefined) return null;
  const number = (name: string): number =>
    Number(new RegExp(`${name}: (\\d+)`).exec(summary)?.[1] ?? 0);
  return { passed: number('pass'), failed: number('fail') };
}

/** Of all that a file said: what failed, with its place and difference, and what is no TAP. */
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

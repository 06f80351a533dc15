import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '@countersign/runtime/testing';
import ts from 'typescript';

export type Language = 'ts' | 'python';

const run = promisify(execFile);
const startTimeoutMs = 30_000;
/** Below the repository, so that programs find the packages they import. */
const folder = mkdtempSync(join(process.env.TEST_STATE_FOLDER ?? tmpdir(), 'printed-'));
let written = 0;

/** The only program in this language that a document prints. */
export function printedIn(document: string, language: Language): string {
  const text = readFileSync(new URL(`../../docs/${document}`, import.meta.url), 'utf8');
  const [, program, ...others] = text.split(`\n\`\`\`${language}\n`);
  if (program === undefined || others.length > 0) {
    throw new Error(`${document} prints ${others.length} more programs in ${language}, or none`);
  }
  return program.slice(0, program.indexOf('\n```\n') + 1);
}

/** Why programs in Python, which use these packages, cannot run here; false if they can. */
export async function whyNoPython(packages: readonly string[] = []): Promise<string | false> {
  try {
    await run('python3', ['-c', `import ${['json', ...packages].join(', ')}`]);
    return false;
  } catch {
    return `python3 is missing here, or one of its packages ${packages}`;
  }
}

interface Running {
  /** What it has printed so far. */
  printed(): string;
  stop(): Promise<void>;
}

/** Runs a program until it is stopped; resolves once `isReady`. */
export async function serve(
  program: { language: Language; text: string; env: Record<string, string> },
  isReady: () => Promise<boolean>,
): Promise<Running> {
  const [command, args] = commandFor(program);
  const env = { PATH: process.env.PATH, ...program.env };
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, complaints] = ['', ''];
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const stop = () => ended(child);
  const ready = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`the program ended: ${complaints}`);
    return isReady();
  };
  try {
    await until(ready, { what: 'the program', timeoutMs: startTimeoutMs });
  } catch (error) {
    await stop();
    throw error;
  }
  return { printed: () => printed, stop };
}

/** What a program prints until it ends. Rejects if it fails. */
export async function outputOf(language: Language, text: string): Promise<string> {
  const [command, args] = commandFor({ language, text });
  const { stdout } = await run(command, args, { timeout: startTimeoutMs });
  return stdout;
}

function commandFor(program: { language: Language; text: string }): [string, string[]] {
  written += 1;
  if (program.language === 'python') {
    const file = join(folder, `${written}.py`);
    writeFileSync(file, program.text);
    return ['python3', [file]];
  }
  const file = join(folder, `${written}.mjs`);
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  writeFileSync(file, ts.transpile(program.text, options));
  return [process.execPath, [file]];
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceFolder } from '@countersign/tools/folders';
import { nodeOptionsOf } from '@countersign/tools/service-process';
import type { ServiceName } from '@countersign/tools/services';

/** Resident set size in megabytes. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
}

/** Imports as the compiler formats them: at the beginning of a line, with or without names. */
const importLine = /^(?:import|export)\s(?:[^'";=()]*\sfrom\s)?['"]([^'"]+)['"]/gm;

/** Packages that the compiled files of a service import, under the names they use. */
function packagesOf(service: string): string[] {
  const dist = join(serviceFolder(service), 'dist');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.m?js$/.test(name) && !/\.test\.js$|(^|\/)test\/|^write-/.test(name),
  );
  const found = new Set<string>();
  for (const file of files) {
    const text = readFileSync(join(dist, file), 'utf8');
    for (const [, name] of text.matchAll(importLine)) {
      if (name && !name.startsWith('.') && !name.startsWith('node:')) found.add(name);
    }
  }
  return [...found].sort();
}

export interface BareProcess {
  pid: number;
  end(): void;
}

const readyDeadlineMs = 20_000;

/** A process that has loaded the same packages as a service and is otherwise idle. */
export function startBare(service: ServiceName): Promise<BareProcess> {
  const imports = packagesOf(service).map((name) => `await import(${JSON.stringify(name)});`);
  const code = `${imports.join('')} process.stdout.write('ready'); setInterval(() => {}, 1e6);`;
  const args = [...nodeOptionsOf(service), '--input-type=module', '--eval', code];
  const child = spawn(process.execPath, args, {
    cwd: serviceFolder(service),
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(child, reject), readyDeadlineMs);
    child.once('exit', () => reject(new Error(`the bare process of ${service} ended`)));
    child.stdout.once('data', () => {
      clearTimeout(timer);
      child.removeAllListeners('exit');
      resolve({ pid: child.pid ?? 0, end: () => child.kill('SIGKILL') });
    });
  });
}

function fail(child: ChildProcess, reject: (error: Error) => void): void {
  child.kill('SIGKILL');
  reject(new Error('the bare process did not come up'));
}

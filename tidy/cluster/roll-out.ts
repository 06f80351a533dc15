import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * Runs roll-out.sh with a fake kubectl that records its calls, one per line. The first question for
 * a job is not answered, as when the API is away for a moment.
 */
export function rollOut(
  deploy: string,
  args: readonly string[],
  job = 'Complete',
): { calls: string[]; failed: boolean } {
  const bin = mkdtempSync(join(tmpdir(), 'countersign-kubectl-'));
  const log = join(bin, 'calls');
  const rendered = ['Namespace\nmetadata:\n  name: elsewhere', 'ConfigMap'].map(
    (k) => `kind: ${k}`,
  );
  writeFileSync(join(bin, 'rendered'), rendered.join('\n---\n'));
  const script = [
    '#!/usr/bin/env bash',
    `printf '%s\\n' "$*" >>'${log}'`,
    'case "$*" in',
    `  kustomize*) cat '${bin}/rendered' ;;`,
    `  *'get job'*) if [ "$(grep -c 'get job' '${log}')" = 1 ]; then exit 1; fi; echo '${job}' ;;`,
    'esac',
  ];
  writeFileSync(join(bin, 'kubectl'), script.join('\n'), { mode: 0o755 });
  writeFileSync(join(bin, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  let failed = false;
  try {
    const command = [join(deploy, 'kubernetes/roll-out.sh'), 'overlays/any', ...args];
    execFileSync('bash', command, { env, stdio: 'pipe', timeout: 30_000 });
  } catch {
    failed = true;
  }
  const calls = readFileSync(log, 'utf8').trim().split('\n');
  rmSync(bin, { recursive: true });
  return { calls, failed };
}

/** The steps of a roll-out: what they apply and wait for. */
export function stepsOf(calls: readonly string[]): string[] {
  return calls.flatMap((call) => {
    const applied = /-l app\.kubernetes\.io\/component=(\w+)(?:,.*name=(\w+))?$/.exec(call);
    if (applied) return [applied[2] ?? applied[1] ?? ''];
    const waited = /^-n elsewhere rollout status \w+\/(\w+)/.exec(call);
    return waited ? [`${waited[1]} is ready`] : [];
  });
}

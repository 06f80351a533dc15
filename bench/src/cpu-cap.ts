import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotMeasurable } from './not-measurable.js';

/** The kernel's minimum quota is one millisecond per period. */
const periodMicros = 50_000;

/** The share of one core that a process may use, enforced by the kernel. */
export interface CpuCap {
  release(): void;
}

/** Uses a control group of version 1 or 2; requires permission to create one. */
export function capCpu(pid: number, share: number): CpuCap {
  const quota = Math.round(periodMicros * share);
  const second = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const parent = second ? '/sys/fs/cgroup' : '/sys/fs/cgroup/cpu';
  const folder = join(parent, `countersign-bench-${pid}`);
  try {
    if (second) writeFileSync(join(parent, 'cgroup.subtree_control'), '+cpu');
    mkdirSync(folder);
    if (second) writeFileSync(join(folder, 'cpu.max'), `${quota} ${periodMicros}`);
    else {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodMicros));
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota));
    }
    writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  } catch (error) {
    if (existsSync(folder)) rmdirSync(folder);
    throw new NotMeasurable(`no control group may be made here: ${String(error)}`);
  }
  return {
    release: () => {
      try {
        writeFileSync(join(parent, 'cgroup.procs'), String(pid));
      } catch {
        // The process has ended and has thereby left the group.
      }
      rmdirSync(folder);
    },
  };
}

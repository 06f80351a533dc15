import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotMeasurable } from './not-measurable.js';

/** A kernel grants no less than a millisecond of a period. */
const periodMicros = 50_000;

/** A share of one core that a process may not exceed, enforced by the kernel. */
export interface CpuCap {
  release(): void;
}

/** By a control group of its own, of either version; needs the right to make one. */
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
        // It has ended, and left the group by that.
      }
      rmdirSync(folder);
    },
  };
}

import { withDeadline } from '@countersign/runtime/deadline';

const ended = (): true => true;

/** Whether the work settles in time, fulfilled or rejected. */
export function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const deadline = { ms: Math.max(0, ms), what: 'the work' };
  return withDeadline(work.then(ended, ended), deadline).catch(() => false);
}

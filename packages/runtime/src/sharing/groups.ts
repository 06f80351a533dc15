import { isPassing } from '../connectivity.js';
import { Pace } from './pace.js';

interface Waiting<T> {
  item: T;
  done: () => void;
  failed: (error: unknown) => void;
}

type Group<T> = ReadonlyArray<Waiting<T>>;

type HandleGroup<T> = (items: T[]) => Promise<void>;

interface GroupOptions {
  maxGroup: number;
  /**
   * Minimum interval between groups, in milliseconds; a group that is already full when the one
   * before it has been handled does not wait for it.
   */
  everyMs?: number;
}

/**
 * Handles single items in groups: a group is what was queued while the one before it was being
 * handled, so an idle system adds no delay and a busy one shares its round trips. The promise of an
 * item settles with its group. The queue is bounded by how many unanswered items the callers allow.
 *
 * If a group fails, its items are handled one by one, so that one bad item does not fail the
 * others. While the database is unavailable or overloaded the whole group fails: the items would
 * fail anyway, and one request for each would add to the overload.
 */
export function inGroups<T>(
  { maxGroup, everyMs = 0 }: GroupOptions,
  handleGroup: HandleGroup<T>,
): (item: T) => Promise<void> {
  let queue: Array<Waiting<T>> = [];
  let working = false;
  const pace = new Pace({ everyMs, readySize: maxGroup });
  const work = async (): Promise<void> => {
    if (working) return;
    working = true;
    while (queue.length > 0) {
      await pace.begin(() => queue.length);
      const group = queue.slice(0, maxGroup);
      queue = queue.slice(maxGroup);
      await take(group, handleGroup);
    }
    working = false;
  };

  return (item) =>
    new Promise((done, failed) => {
      queue.push({ item, done, failed });
      void work();
    });
}

/** Settles every item of the group. */
async function take<T>(group: Group<T>, handleGroup: HandleGroup<T>): Promise<void> {
  const failure = await attempt(group, handleGroup);
  if (!failure) return;
  if (group.length === 1 || isPassing(failure.error)) fail(group, failure.error);
  else await takeOneByOne(group, handleGroup);
}

async function takeOneByOne<T>(group: Group<T>, handleGroup: HandleGroup<T>): Promise<void> {
  for (const [index, waiting] of group.entries()) {
    const failure = await attempt([waiting], handleGroup);
    if (failure && isPassing(failure.error)) return fail(group.slice(index), failure.error);
    if (failure) waiting.failed(failure.error);
  }
}

/** The error with which the group failed; null if it succeeded. */
async function attempt<T>(
  group: Group<T>,
  handleGroup: HandleGroup<T>,
): Promise<{ error: unknown } | null> {
  try {
    await handleGroup(group.map(({ item }) => item));
  } catch (error) {
    return { error };
  }
  for (const { done } of group) done();
  return null;
}

function fail<T>(group: Group<T>, error: unknown): void {
  for (const { failed } of group) failed(error);
}

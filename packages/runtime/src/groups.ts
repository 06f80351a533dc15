import { Pace } from './pace.js';

interface Waiting<T> {
  item: T;
  done: () => void;
  failed: (error: unknown) => void;
}

export interface GroupOptions {
  maxGroup: number;
  /** Minimum interval between groups, in milliseconds; a full group does not wait for it. */
  everyMs?: number;
}

/**
 * Handles single items in groups: a group is what queued while the one before it was being handled,
 * so an idle system adds no delay and a busy one shares its round trips. The promise of an item
 * resolves with its group. Callers bound the queue by how much they leave unanswered.
 */
export function inGroups<T>(
  { maxGroup, everyMs = 0 }: GroupOptions,
  handleGroup: (items: T[]) => Promise<void>,
): (item: T) => Promise<void> {
  let queue: Array<Waiting<T>> = [];
  let working = false;
  const pace = new Pace({ everyMs, readySize: maxGroup });

  /** One item that cannot be handled must not hold up its neighbours. */
  const take = async (group: Array<Waiting<T>>): Promise<void> => {
    try {
      await handleGroup(group.map(({ item }) => item));
      for (const { done } of group) done();
    } catch (error) {
      if (group.length > 1) for (const waiting of group) await take([waiting]);
      else group[0]?.failed(error);
    }
  };

  const work = async (): Promise<void> => {
    if (working) return;
    working = true;
    while (queue.length > 0) {
      await pace.begin(queue.length);
      const group = queue.slice(0, maxGroup);
      queue = queue.slice(maxGroup);
      await take(group);
    }
    working = false;
  };

  return (item) =>
    new Promise((done, failed) => {
      queue.push({ item, done, failed });
      void work();
    });
}

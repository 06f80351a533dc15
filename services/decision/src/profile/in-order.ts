interface HoldOptions<T> {
  /** For how long an item waits for others that belong before it, in milliseconds. */
  holdMs: number;
  /** What the items of a key are sorted by. */
  timeOf: (item: T) => number;
  /** Items with different keys do not wait for each other. */
  keyOf: (item: T) => string;
  timing?: Timing;
}

interface Timing {
  /** In milliseconds. */
  now: () => number;
  later: (work: () => void, ms: number) => void;
}

interface Held<T> {
  item: T;
  key: string;
  time: number;
  since: number;
  settle: (handled: Promise<void>) => void;
}

const realTiming: Timing = {
  now: () => performance.now(),
  later: (work, ms) => void setTimeout(work, ms),
};

/**
 * Hands the items of a key on in the order of their times, although they arrive in another one:
 * each is held for a moment, and one that arrives meanwhile and belongs before it goes first. The
 * promise of an item settles with how it was handled. The queue is bounded by how many unanswered
 * items the callers allow.
 */
export function inOrder<T>(
  { holdMs, timeOf, keyOf, timing = realTiming }: HoldOptions<T>,
  handle: (item: T) => Promise<void>,
): (item: T) => Promise<void> {
  let held: Array<Held<T>> = [];

  const release = (): void => {
    const now = timing.now();
    held.sort((a, b) => a.time - b.time);
    const lastDue = new Map<string, number>();
    for (const [at, { key, since }] of held.entries()) {
      if (now - since >= holdMs) lastDue.set(key, at);
    }
    const isDue = ({ key }: Held<T>, at: number): boolean => at <= (lastDue.get(key) ?? -1);
    const due = held.filter(isDue);
    held = held.filter((each, at) => !isDue(each, at));
    for (const { item, settle } of due) settle(handle(item));
    if (held.length === 0) return;
    const oldest = held.reduce((since, each) => Math.min(since, each.since), now);
    timing.later(release, Math.max(1, oldest + holdMs - now));
  };

  return (item) =>
    new Promise((settle) => {
      const since = timing.now();
      held.push({ item, key: keyOf(item), time: timeOf(item), since, settle });
      if (held.length === 1) timing.later(release, holdMs);
    });
}

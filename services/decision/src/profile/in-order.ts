export interface HoldOptions<T> {
  /** For how long an item waits for others that belong before it, in milliseconds. */
  holdMs: number;
  /** What the items are sorted by. */
  timeOf: (item: T) => number;
}

interface Held<T> {
  item: T;
  time: number;
  since: number;
  settle: (handled: Promise<void>) => void;
}

/**
 * Hands items on in the order of their times, although they arrive in another one: each is held for
 * a moment, and one that arrives meanwhile and belongs before it goes first. The promise of an item
 * settles with how it was handled. The queue is bounded by how many unanswered items the callers
 * allow.
 */
export function inOrder<T>(
  { holdMs, timeOf }: HoldOptions<T>,
  handle: (item: T) => Promise<void>,
): (item: T) => Promise<void> {
  const held: Array<Held<T>> = [];

  const release = (): void => {
    const now = performance.now();
    held.sort((a, b) => a.time - b.time);
    const last = held.findLastIndex(({ since }) => now - since >= holdMs);
    for (const { item, settle } of held.splice(0, last + 1)) settle(handle(item));
    if (held.length === 0) return;
    const oldest = Math.min(...held.map(({ since }) => since));
    setTimeout(release, Math.max(1, oldest + holdMs - now));
  };

  return (item) =>
    new Promise((settle) => {
      held.push({ item, time: timeOf(item), since: performance.now(), settle });
      if (held.length === 1) setTimeout(release, holdMs);
    });
}

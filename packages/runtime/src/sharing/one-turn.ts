import { isPassing } from '../connectivity.js';

interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Runs the same work for all callers of one turn of the event loop, one right after the other. For
 * short work on lookup tables that other code evicts from the CPU cache: a signature costs half as
 * much this way.
 */
export function inOneTurn<T, R>(work: (item: T) => R): (item: T) => Promise<R> {
  return gathered((all) => {
    for (const each of all) settle(work, each);
  });
}

/** Collects all items given within one turn of the event loop and hands them over at its end. */
function gathered<T, R>(take: (all: Array<Waiting<T, R>>) => void): (item: T) => Promise<R> {
  let waiting: Array<Waiting<T, R>> = [];
  const takeAll = (): void => {
    const all = waiting;
    waiting = [];
    take(all);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ item, resolve, reject }) === 1) setImmediate(takeAll);
    });
}

function settle<T, R>(work: (item: T) => R, { item, resolve, reject }: Waiting<T, R>): void {
  try {
    resolve(work(item));
  } catch (error) {
    reject(error);
  }
}

/** Larger groups bring no further gain and would delay the callers in them. */
const mostTogether = 128;

/**
 * Sends the questions of all callers of one turn of the event loop together; `ask` answers in their
 * order. If it fails, each question is asked separately, so that one bad question does not fail the
 * others, unless the database is unavailable or overloaded: that would replace one query by a
 * hundred.
 */
export function askedTogether<T, R>(
  ask: (items: readonly T[]) => Promise<readonly R[]>,
): (item: T) => Promise<R> {
  return gathered((all) => {
    for (let from = 0; from < all.length; from += mostTogether) {
      void answer(ask, all.slice(from, from + mostTogether));
    }
  });
}

async function answer<T, R>(
  ask: (items: readonly T[]) => Promise<readonly R[]>,
  group: ReadonlyArray<Waiting<T, R>>,
): Promise<void> {
  try {
    const answers = await ask(group.map(({ item }) => item));
    for (const [index, { resolve }] of group.entries()) resolve(answers[index] as R);
  } catch (error) {
    if (group.length === 1 || isPassing(error)) for (const { reject } of group) reject(error);
    else for (const each of group) void answer(ask, [each]);
  }
}

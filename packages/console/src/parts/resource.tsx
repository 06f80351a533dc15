import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { asProblem, type Problem } from '../api/problem.js';
import { ProblemNote } from './problem-note.js';

/** The state of something that is loaded from the API. */
export type Resource<T> =
  | { state: 'loading' }
  | { state: 'failed'; problem: Problem }
  | { state: 'done'; value: T };

interface Kept<T> {
  key: string;
  resource: Resource<T>;
}

/**
 * Loads what `key` identifies, again when the key changes or on `reload`. Unmounting aborts the
 * request. While reloading, the former value stays visible.
 */
export function useResource<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
): [Resource<T>, () => void] {
  const [kept, setKept] = useState<Kept<T>>({ key, resource: { state: 'loading' } });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const keep = (resource: Resource<T>) => {
      if (!leaving.signal.aborted) setKept({ key, resource });
    };
    load(leaving.signal).then(
      (value) => keep({ state: 'done', value }),
      (thrown) => keep({ state: 'failed', problem: asProblem(thrown) }),
    );
    return () => leaving.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((last) => last + 1), []);
  return [kept.key === key ? kept.resource : { state: 'loading' }, reload];
}

interface LoadedProps<T> {
  of: Resource<T>;
  children: (value: T) => ComponentChildren;
}

/** Renders the loaded value, or the reason why there is none. */
export function Loaded<T>({ of: resource, children }: LoadedProps<T>) {
  if (resource.state === 'loading') return <p class="quiet">Reading…</p>;
  if (resource.state === 'failed') return <ProblemNote problem={resource.problem} />;
  return <>{children(resource.value)}</>;
}

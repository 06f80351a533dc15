import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { asProblem, type Problem } from '../api/problem.js';
import { ProblemNote } from './problem-note.js';

/** Something that is read from the API, as far as it is known. */
export type Resource<T> =
  | { state: 'loading' }
  | { state: 'failed'; problem: Problem }
  | { state: 'done'; value: T };

interface Kept<T> {
  key: string;
  resource: Resource<T>;
}

/**
 * Reads what `key` names, anew when the key changes or on `reload`. Whoever leaves does not wait:
 * the call is given up. While the same is read again, what was known stays on the screen.
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

/** What was read, or why it was not. */
export function Loaded<T>({ of: resource, children }: LoadedProps<T>) {
  if (resource.state === 'loading') return <p class="quiet">Reading…</p>;
  if (resource.state === 'failed') return <ProblemNote problem={resource.problem} />;
  return <>{children(resource.value)}</>;
}

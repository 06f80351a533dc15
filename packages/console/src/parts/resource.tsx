import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
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
 * request. While reloading, the former value stays visible, but not a former failure.
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
  const resource: Resource<T> = kept.key === key ? kept.resource : { state: 'loading' };
  const reload = useFocusKept(() => {
    if (resource.state === 'failed') setKept({ key, resource: { state: 'loading' } });
    setRound((last) => last + 1);
  }, kept);
  return [resource, reload];
}

/**
 * A reload may remove the button that led to it, and the keyboard focus with it. The focus then
 * moves to the title of the screen, as on arrival.
 */
function useFocusKept(reload: () => void, resource: unknown): () => void {
  const isReloading = useRef(false);
  useEffect(() => {
    if (!isReloading.current) return;
    isReloading.current = false;
    if (document.activeElement !== document.body) return;
    document.querySelector('h1')?.focus({ preventScroll: true });
  }, [resource]);
  return () => {
    isReloading.current = true;
    reload();
  };
}

interface LoadedProps<T> {
  of: Resource<T>;
  onAgain?: () => void;
  children: (value: T) => ComponentChildren;
}

/** Renders the loaded value, or the reason why there is none. */
export function Loaded<T>({ of: resource, onAgain, children }: LoadedProps<T>) {
  if (resource.state === 'loading') return <p class="quiet">Reading…</p>;
  if (resource.state === 'failed') {
    return <ProblemNote problem={resource.problem} onAgain={onAgain} />;
  }
  return <>{children(resource.value)}</>;
}

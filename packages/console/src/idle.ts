import { useEffect } from 'preact/hooks';

/** So long a desk may stand deserted before the key on it is forgotten. */
const idleMs = 30 * 60_000;
const signsOfLife = ['keydown', 'pointerdown', 'wheel'] as const;

/** Calls `onIdle` once nobody has touched the page for half an hour. */
export function useIdle(onIdle: () => void): void {
  useEffect(() => {
    let timer = setTimeout(onIdle, idleMs);
    const restart = () => {
      clearTimeout(timer);
      timer = setTimeout(onIdle, idleMs);
    };
    for (const sign of signsOfLife) addEventListener(sign, restart, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const sign of signsOfLife) removeEventListener(sign, restart);
    };
  }, [onIdle]);
}

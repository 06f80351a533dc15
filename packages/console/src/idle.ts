import { useLayoutEffect } from 'preact/hooks';

/** So long a desk may stand deserted before the key on it is forgotten. */
const idleMs = 30 * 60_000;
const lookMs = 15_000;
const signsOfLife = ['keydown', 'pointerdown', 'wheel'] as const;

/**
 * Calls `onIdle` once nobody has touched the page for half an hour, by the clock: timers stand
 * still while a computer sleeps. A page that is left is not kept for the way back either.
 */
export function useIdle(onIdle: () => void): void {
  // Before anything is shown: a page that can be seen is never without its watch.
  useLayoutEffect(() => {
    let touchedAt = Date.now();
    const look = () => {
      if (Date.now() - touchedAt >= idleMs) onIdle();
    };
    const touch = () => {
      look();
      touchedAt = Date.now();
    };
    const looking = setInterval(look, lookMs);
    for (const sign of signsOfLife) addEventListener(sign, touch, { passive: true });
    addEventListener('pagehide', onIdle);
    return () => {
      clearInterval(looking);
      for (const sign of signsOfLife) removeEventListener(sign, touch);
      removeEventListener('pagehide', onIdle);
    };
  }, [onIdle]);
}

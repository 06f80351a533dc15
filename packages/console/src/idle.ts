import { useLayoutEffect } from 'preact/hooks';

/** Inactivity after which the key is discarded. */
const idleMs = 30 * 60_000;
const lookMs = 15_000;
const signsOfLife = ['keydown', 'pointerdown', 'wheel'] as const;

/**
 * Calls `onIdle` after half an hour without input, measured by the clock, since timers stop while a
 * computer sleeps. Calls `onLeave` when the page is put into the back/forward cache.
 */
export function useIdle({ onIdle, onLeave }: Record<'onIdle' | 'onLeave', () => void>): void {
  // A layout effect, so that a visible page is never without the idle check.
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
    addEventListener('pagehide', onLeave);
    return () => {
      clearInterval(looking);
      for (const sign of signsOfLife) removeEventListener(sign, touch);
      removeEventListener('pagehide', onLeave);
    };
  }, [onIdle, onLeave]);
}

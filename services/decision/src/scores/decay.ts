export const dayMs = 86_400_000;

/** The remainder of a weight of 1 after `ageMs`: 2^(−age/H), with the half-life H in days. */
export function remaining(ageMs: number, halfLifeDays: number): number {
  return 2 ** (-ageMs / (halfLifeDays * dayMs));
}

/** The same for a fixed age. Remembers the last half-life, since adjacent counters share it. */
export function restAfter(ageMs: number): (halfLifeDays: number) => number {
  if (ageMs === 0) return () => 1;
  let [days, rest] = [0, 1];
  return (halfLifeDays) => {
    if (halfLifeDays !== days) [days, rest] = [halfLifeDays, remaining(ageMs, halfLifeDays)];
    return rest;
  };
}

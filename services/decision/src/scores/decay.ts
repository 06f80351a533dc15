export const dayMs = 86_400_000;

/** What remains of a weight of 1 after `ageMs`: 2^(−age/H), the half-life H in days. */
export function remaining(ageMs: number, halfLifeDays: number): number {
  return 2 ** (-ageMs / (halfLifeDays * dayMs));
}

/**
 * Measures each in turn, A B B A A B …, so that noise and the after-effects of a measurement, such
 * as vacuuming, affect all alike. The results are in the order of `contestants`.
 */
export async function inTurns<Contestant, Result>(
  contestants: readonly Contestant[],
  rounds: number,
  measure: (contestant: Contestant) => Promise<Result>,
): Promise<Result[][]> {
  const results: Result[][] = contestants.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    const inOrder = [...contestants.entries()];
    for (const [index, contestant] of round % 2 ? inOrder.reverse() : inOrder) {
      results[index]?.push(await measure(contestant));
    }
  }
  return results;
}

/** The hash of the thresholds that a basis names; null where it holds them (earlier releases). */
export function thresholdsHashIn(basis: string): string | null {
  const { thresholds } = JSON.parse(basis) as { thresholds?: unknown };
  return typeof thresholds === 'string' ? thresholds : null;
}

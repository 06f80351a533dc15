/** The hash of the thresholds of a basis; null if it contains them, as in earlier releases. */
export function thresholdsHashIn(basis: string): string | null {
  const { thresholds } = JSON.parse(basis) as { thresholds?: unknown };
  return typeof thresholds === 'string' ? thresholds : null;
}

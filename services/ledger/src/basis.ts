/** The hash of the thresholds of a basis; null if it names none, as only a changed one does. */
export function thresholdsHashIn(basis: string): string | null {
  const { thresholds } = JSON.parse(basis) as { thresholds?: unknown };
  return typeof thresholds === 'string' ? thresholds : null;
}

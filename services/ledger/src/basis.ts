/**
 * The hash of the thresholds of a basis; null if it names none, as only a changed one does. A basis
 * that is no JSON names none either: it keeps nothing else from being read or verified.
 */
export function thresholdsHashIn(basis: string): string | null {
  const { thresholds } = Object(parsed(basis)) as { thresholds?: unknown };
  return typeof thresholds === 'string' ? thresholds : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Markers that the decision service leaves in an answer, for the ledger to fill in under its lock:
 * only there are the counters true. A marker is a private-use character on each side of a letter,
 * which no validated input may contain, so nothing a caller sends can be taken for one.
 */
const open = '\ue000';
const close = '\ue001';

export const answerMarkers = {
  dailyAmountUsed: `${open}A${close}`,
  monthlyAmountUsed: `${open}B${close}`,
  dailyCountUsed: `${open}C${close}`,
  monthlyCountUsed: `${open}D${close}`,
  dailyAmountRemaining: `${open}E${close}`,
  monthlyAmountRemaining: `${open}F${close}`,
} as const;

/** True where a text contains a character that is reserved for markers. */
export function hasMarkerCharacter(text: string): boolean {
  return text.includes(open) || text.includes(close);
}

/**
 * Markers that the decision service leaves in an answer for the counters, which are known only
 * under the ledger's lock and filled in there. A marker is a letter between two private-use
 * characters, which no validated input may contain, so nothing a caller sends can be taken for one.
 */
const markerOpen = '\ue000';
const markerClose = '\ue001';

export const answerMarkers = {
  dailyAmountUsed: `${markerOpen}A${markerClose}`,
  monthlyAmountUsed: `${markerOpen}B${markerClose}`,
  dailyCountUsed: `${markerOpen}C${markerClose}`,
  monthlyCountUsed: `${markerOpen}D${markerClose}`,
  dailyAmountRemaining: `${markerOpen}E${markerClose}`,
  monthlyAmountRemaining: `${markerOpen}F${markerClose}`,
} as const;

/** True if a text contains a character that is reserved for markers. */
export function hasMarkerCharacter(text: string): boolean {
  return text.includes(markerOpen) || text.includes(markerClose);
}

/** Removes marker characters from a caller's text; the gateway refuses them already. */
export function withoutMarkers(text: string): string {
  return hasMarkerCharacter(text)
    ? text.replaceAll(markerOpen, '').replaceAll(markerClose, '')
    : text;
}

/** The same JSON text, with marker characters in its strings escaped. */
export function escapedMarkers(json: string): string {
  return hasMarkerCharacter(json)
    ? json.replaceAll(markerOpen, '\\ue000').replaceAll(markerClose, '\\ue001')
    : json;
}

import { answerMarkers } from '@countersign/kernel/answer-marker';

/**
 * The commit function inserts the counters with PostgreSQL's format(), in one pass over the text.
 * These are the positions of its arguments.
 */
const positions: ReadonlyMap<string, string> = new Map([
  [answerMarkers.dailyAmountUsed, '%1$s'],
  [answerMarkers.monthlyAmountUsed, '%2$s'],
  [answerMarkers.dailyCountUsed, '%3$s'],
  [answerMarkers.monthlyCountUsed, '%4$s'],
  [answerMarkers.dailyAmountRemaining, '%5$s'],
  [answerMarkers.monthlyAmountRemaining, '%6$s'],
  ['%', '%%'],
]);
const special = /%|\ue000[A-F]\ue001/g;

/** Converts a text with markers to a format() template. */
export function toFormat(template: string): string {
  return template.replace(special, (found) => positions.get(found) ?? found);
}

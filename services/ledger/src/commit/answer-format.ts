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

const detailStart = '"reason_detail":"';

/**
 * The JSON literal of the answer's reason_detail, including its markers. The template cannot be
 * parsed, as markers of counts have no quotes around them. Quotes within strings are escaped, so
 * the first match is the answer's own member.
 */
export function reasonDetailLiteral(template: string): string {
  const start = template.indexOf(detailStart);
  if (start < 0) return '""';
  const from = start + detailStart.length - 1;
  let end = from + 1;
  while (end < template.length && template[end] !== '"') end += template[end] === '\\' ? 2 : 1;
  return template.slice(from, end + 1);
}

import { answerMarkers } from '@countersign/kernel/answer';

/**
 * The commit function fills its counters in with PostgreSQL's format(): one pass over the text,
 * wherever the markers stand and however many there are. The positions are the order in which it
 * passes the values.
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

/** A text with markers as a format() pattern that gives the same text with the values in it. */
export function toFormat(template: string): string {
  return template.replace(special, (found) => positions.get(found) ?? found);
}

const detailStart = '"reason_detail":"';

/**
 * The JSON literal of the answer's reason_detail, markers and all: the template as a whole is no
 * JSON, because counts stand in it without quotes. A quote inside a text is escaped, so the first
 * such member is the answer's own.
 */
export function reasonDetailLiteral(template: string): string {
  const start = template.indexOf(detailStart);
  if (start < 0) return '""';
  const from = start + detailStart.length - 1;
  let end = from + 1;
  while (end < template.length && template[end] !== '"') end += template[end] === '\\' ? 2 : 1;
  return template.slice(from, end + 1);
}

/** Invisible characters, which could split a word that is searched for. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
/**
 * More combining marks on one letter than any language uses. Normalization sorts them in quadratic
 * time, so unbounded runs would be a denial of service. NFKC turns the two halfwidth Katakana
 * voicing marks into combining marks.
 */
const longRun = /[\p{M}\uff9e\uff9f]{30}/gu;
/** Combining grapheme joiner: ends a run of marks, as in Unicode's stream-safe format (UAX 15). */
const joiner = '\u034f';
const isPlain = /^\p{ASCII}*$/u;

/**
 * The form in which texts are searched and compared: case, width and spacing make no difference.
 */
export function normalText(text: string): string {
  return (isPlain.test(text) ? text : composed(text)).toLowerCase().replace(/\s+/g, ' ').trim();
}

function composed(text: string): string {
  return text.replace(invisible, '').replace(longRun, `$&${joiner}`).normalize('NFKC');
}

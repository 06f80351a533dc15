/** What nobody sees, between letters that belong together as well. */
const unseen = /\p{Default_Ignorable_Code_Point}/gu;
/**
 * More marks on one letter than any language has: to bring them into order takes as long as their
 * count squared. The last two of the class become marks.
 */
const longRun = /[\p{M}\uff9e\uff9f]{30}/gu;
/** Ends a run, as in the stream-safe text of Unicode (UAX 15). */
const joiner = '\u034f';
const isPlain = /^\p{ASCII}*$/u;

/** Text as it is searched and compared: without regard to case, width and spacing. */
export function normalText(text: string): string {
  return (isPlain.test(text) ? text : composed(text)).toLowerCase().replace(/\s+/g, ' ').trim();
}

function composed(text: string): string {
  return text.replace(unseen, '').replace(longRun, `$&${joiner}`).normalize('NFKC');
}

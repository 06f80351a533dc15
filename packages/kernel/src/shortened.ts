/** A text of at most so many UTF-16 units, then an ellipsis; never cut within a surrogate pair. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Marks that cannot be seen, or that change how the text around them reads: controls, the overrides
 * of direction, blanks without a width. The joiners that scripts and emoji are written with stay.
 */
const hidden = /(?![\t\n\r\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

/** What somebody else wrote, with what it hides: a merchant `\u202eABC` is `[U+202E]ABC`. */
export function unhidden(text: string): string {
  return text.replace(hidden, (mark) => {
    const code = mark.codePointAt(0)?.toString(16).toUpperCase() ?? '';
    return `[U+${code.padStart(4, '0')}]`;
  });
}

/** Whether nothing of it would be seen. */
export function isBlank(text: string): boolean {
  return /^[\s\u200c\u200d]*$/.test(text);
}

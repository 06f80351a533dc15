/**
 * Characters that are invisible or change how surrounding text reads: control characters, direction
 * overrides, zero-width spaces. The joiners needed by scripts and emoji are allowed.
 */
const hidden = /(?![\t\n\r\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

/**
 * Third-party text with hidden characters made visible: a merchant `\u202eABC` becomes
 * `[U+202E]ABC`.
 */
export function unhidden(text: string): string {
  return text.replace(hidden, (mark) => {
    const code = mark.codePointAt(0)?.toString(16).toUpperCase() ?? '';
    return `[U+${code.padStart(4, '0')}]`;
  });
}

/** Whether nothing of the text would be visible. */
export function isBlank(text: string): boolean {
  return /^[\s\u200c\u200d]*$/.test(text);
}

/**
 * JSON whose numbers stay the text that was sent. Lists give amounts as numbers, and an amount
 * never passes through a double: so nothing here becomes one unless a bar is drawn from it.
 */
export function parseExact(text: string): unknown {
  return JSON.parse(
    text.replace(tokens, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  );
}

/** Strings, so that digits in them are left alone, and numbers. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * JSON whose numbers stay the text that was sent. Lists contain amounts as JSON numbers, which must
 * never pass through a double; numbers are converted only to draw a bar.
 */
export function parseExact(text: string): unknown {
  return JSON.parse(
    text.replace(tokens, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  );
}

/** Matches strings, so that digits in them are not changed, and numbers. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

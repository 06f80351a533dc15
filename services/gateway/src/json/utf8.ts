// ignoreBOM: true keeps the mark in the text, where the JSON parser refuses it.
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** What a lenient decoder writes for bytes that are not UTF-8. */
const replacement = '\ufffd';
const replacementBytes = Buffer.from(replacement);

/** Throws where the bytes are not UTF-8. */
export function fromUtf8(bytes: Uint8Array): string {
  return strict.decode(bytes);
}

/** How many characters precede the first bytes that are not UTF-8. */
export function charactersOfUtf8(bytes: Uint8Array): number {
  const text = lenient.decode(bytes);
  let atByte = 0;
  let counted = 0;
  for (;;) {
    const at = text.indexOf(replacement, counted);
    if (at === -1) return text.length;
    atByte += Buffer.byteLength(text.slice(counted, at));
    const end = atByte + replacementBytes.length;
    // The caller may have sent this character itself.
    if (!replacementBytes.equals(bytes.subarray(atByte, end))) return at;
    atByte = end;
    counted = at + replacement.length;
  }
}

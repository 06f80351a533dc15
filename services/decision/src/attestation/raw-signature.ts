const integerBytes = 32;

/**
 * The r and s of a P-256 signature, 32 bytes each, from the DER that OpenSSL gives. Node.js would
 * convert it too (`dsaEncoding: 'ieee-p1363'`), but in version 24 that costs as much as signing.
 *
 * The DER is a SEQUENCE of two INTEGERs, with lengths of one byte each. An INTEGER has no leading
 * zeros, but for one where its first bit would make it negative.
 */
export function rawSignature(der: Uint8Array): Buffer {
  const raw = Buffer.alloc(2 * integerBytes);
  let at = 2;
  for (const end of [integerBytes, 2 * integerBytes]) {
    const first = at + 2;
    const next = first + (der[at + 1] ?? 0);
    const digits = der.subarray(Math.max(first, next - integerBytes), next);
    raw.set(digits, end - digits.length);
    at = next;
  }
  return raw;
}

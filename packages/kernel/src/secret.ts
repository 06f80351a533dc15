import { randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const checksumLength = 6;

/** `length` base62 characters from a CSPRNG without modulo bias; 43 carry 256 bits. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte: using higher values would favour some digits.
      if (byte < 248 && text.length < length) text += base62[byte % 62];
    }
  }
  return text;
}

/** Six base62 characters of the CRC-32 over everything before it, prefix included. */
export function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < checksumLength; i += 1) {
    digits = base62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** prefix + 43 random characters + checksum, the form of API keys and OAuth secrets. */
export function newChecksummedSecret(prefix: string): string {
  const body = prefix + randomBase62(43);
  return body + checksum(body);
}

/** Rejects a mistyped or invented secret without a look-up. */
export function hasValidChecksum(secret: string): boolean {
  const body = secret.slice(0, -checksumLength);
  return body.length > 0 && checksum(body) === secret.slice(-checksumLength);
}

/** Decimal digits from a CSPRNG, for one-time codes. */
export function randomDigits(length: number): string {
  return randomInt(10 ** length)
    .toString()
    .padStart(length, '0');
}

/**
 * Arrays as PostgreSQL itself has them, in place of a text with every element in quotes: nothing is
 * quoted on this side or unquoted on the other.
 */
const textOid = 25;
const int4Oid = 23;
const headerBytes = 20;
const lengthBytes = 4;
/** UTF-8 needs at most three bytes for a UTF-16 code unit. */
const widestUnit = 3;
const longestShort = 32;
const lastAscii = 0x7f;

/** For a parameter of type text[]. */
export function encodeTextArray(values: readonly string[]): Buffer {
  let capacity = headerBytes;
  for (const value of values) capacity += lengthBytes + value.length * widestUnit;
  const bytes = Buffer.allocUnsafe(capacity);
  let end = putHeader(bytes, textOid, values.length);
  for (const value of values) {
    const start = end + lengthBytes;
    const length = putShortAscii(bytes, value, start) ?? bytes.write(value, start, 'utf8');
    putInt32(bytes, length, end);
    end = start + length;
  }
  return bytes.subarray(0, end);
}

/** For a parameter of type int[]. */
export function encodeIntArray(values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + values.length * 2 * lengthBytes);
  let end = putHeader(bytes, int4Oid, values.length);
  for (const value of values) {
    putInt32(bytes, lengthBytes, end);
    putInt32(bytes, value, end + lengthBytes);
    end += 2 * lengthBytes;
  }
  return bytes.subarray(0, end);
}

/** One dimension, or none where there is nothing; without nulls; counted from 1. */
function putHeader(bytes: Buffer, elementOid: number, count: number): number {
  const fields = count === 0 ? [0, 0, elementOid] : [1, 0, elementOid, count, 1];
  for (const [place, field] of fields.entries()) putInt32(bytes, field, place * 4);
  return fields.length * 4;
}

/** A call into the runtime costs more than the few characters of an id. */
function putShortAscii(bytes: Buffer, value: string, at: number): number | null {
  if (value.length > longestShort) return null;
  for (let index = 0; index < value.length; index += 1) {
    const unit = value.charCodeAt(index);
    if (unit > lastAscii) return null;
    bytes[at + index] = unit;
  }
  return value.length;
}

function putInt32(bytes: Buffer, value: number, at: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

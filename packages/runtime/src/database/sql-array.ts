/**
 * Arrays in PostgreSQL's binary format: of text, of integers, and of a composite type whose
 * attributes are all text. Nothing has to be quoted or parsed, which for long texts halves the cost
 * of JSON on both sides.
 */
type Text = string | null;

export interface RowType {
  /** OID of the composite type itself, not of its array type. */
  oid: number;
  attributes: number;
}

const textOid = 25;
const int4Oid = 23;
const headerBytes = 20;
/** UTF-8 needs at most three bytes for a UTF-16 code unit. */
const widestUnit = 3;
const longestShort = 32;
const lastAscii = 0x7f;

// Strings are read and written as in `proto/src/direct-writer.ts`, for the reasons given there.
const { utf8Write } = Buffer.prototype as unknown as {
  utf8Write: (this: Buffer, text: string, at: number) => number;
};
const { charCodeAt } = String.prototype;
function known(text: string): string {
  if (typeof text !== 'string') throw new TypeError(`not a string but ${typeof text}`);
  return `${text}`;
}

/** For a parameter of type text[]. */
export function encodeTextArray(values: readonly Text[]): Buffer {
  let length = 0;
  let longest = longestShort;
  for (const value of values) {
    const units = value === null ? 0 : known(value).length;
    length += 4 + units;
    if (units > longest) longest = units;
  }
  // Texts are mostly ASCII; there is headroom for one text of the widest encoding.
  const packet = new Packet(headerBytes + length + longest * (widestUnit - 1));
  packet.arrayHeader(textOid, values.length);
  for (const value of values) packet.text(value);
  return packet.take();
}

/** For a parameter of type int[]. */
export function encodeIntArray(values: readonly number[]): Buffer {
  const packet = new Packet(headerBytes + values.length * 8);
  packet.arrayHeader(int4Oid, values.length);
  for (const value of values) {
    packet.int32(4);
    packet.int32(value);
  }
  return packet.take();
}

/** Every row has exactly as many values as the type has attributes. */
export function encodeRowArray(rows: ReadonlyArray<readonly Text[]>, type: RowType): Buffer {
  const packet = new Packet(headerBytes + rows.length * 1_536);
  packet.arrayHeader(type.oid, rows.length);
  for (const row of rows) {
    const lengthAt = packet.skipLength();
    packet.int32(type.attributes);
    for (const value of row) {
      packet.int32(textOid);
      packet.text(value);
    }
    packet.fillLength(lengthAt);
  }
  return packet.take();
}

class Packet {
  #bytes: Buffer;
  #end = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  /** One dimension with lower bound 1; the second field says that there may be nulls. */
  arrayHeader(elementOid: number, count: number): void {
    this.int32(count === 0 ? 0 : 1);
    this.int32(1);
    this.int32(elementOid);
    if (count === 0) return;
    this.int32(count);
    this.int32(1);
  }

  int32(value: number): void {
    this.#reserve(4);
    this.#putInt32(value, this.#end);
    this.#end += 4;
  }

  text(given: Text): void {
    if (given === null) {
      this.int32(-1);
      return;
    }
    const value = known(given);
    this.#reserve(4 + value.length * widestUnit);
    const start = this.#end + 4;
    const length = this.#putShortAscii(value, start) ?? utf8Write.call(this.#bytes, value, start);
    this.#putInt32(length, this.#end);
    this.#end = start + length;
  }

  skipLength(): number {
    this.#reserve(4);
    this.#end += 4;
    return this.#end;
  }

  fillLength(start: number): void {
    this.#putInt32(this.#end - start, start - 4);
  }

  take(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  /**
   * For a few characters, which most attributes are, a loop is cheaper than the call of an encoder.
   */
  #putShortAscii(text: string, at: number): number | null {
    const value = known(text);
    if (value.length > longestShort) return null;
    for (let index = 0; index < value.length; index += 1) {
      const unit = charCodeAt.call(value, index);
      if (unit > lastAscii) return null;
      this.#bytes[at + index] = unit;
    }
    return value.length;
  }

  #putInt32(value: number, at: number): void {
    this.#bytes[at] = value >>> 24;
    this.#bytes[at + 1] = value >>> 16;
    this.#bytes[at + 2] = value >>> 8;
    this.#bytes[at + 3] = value;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#end + bytes));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

/**
 * PostgreSQL's binary form of an array of text and of an array of a composite type whose attributes
 * are all text. Nothing is quoted on this side or unquoted on the other: per proposal that is about
 * half of what JSON costs both ends together.
 */
type Text = string | null;

export interface RowType {
  /** OID of the composite type itself, not of its array type. */
  oid: number;
  attributes: number;
}

const textOid = 25;
const headerBytes = 20;
/** UTF-8 needs at most three bytes for a UTF-16 code unit. */
const widestUnit = 3;

export function encodeTextArray(values: readonly Text[]): Buffer {
  const packet = new Packet(headerBytes + values.length * 48);
  packet.arrayHeader(textOid, values.length);
  for (const value of values) packet.text(value);
  return packet.take();
}

/** Every row has exactly as many values as the type has attributes. */
export function encodeRowArray(rows: ReadonlyArray<readonly Text[]>, type: RowType): Buffer {
  const packet = new Packet(headerBytes + rows.length * 8_192);
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

  /** One dimension, counted from 1; the second field says that there may be nulls. */
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
    this.#end = this.#bytes.writeInt32BE(value, this.#end);
  }

  text(value: Text): void {
    if (value === null) return this.int32(-1);
    this.#reserve(4 + value.length * widestUnit);
    const length = this.#bytes.write(value, this.#end + 4, 'utf8');
    this.#bytes.writeInt32BE(length, this.#end);
    this.#end += 4 + length;
  }

  skipLength(): number {
    this.#reserve(4);
    this.#end += 4;
    return this.#end;
  }

  fillLength(start: number): void {
    this.#bytes.writeInt32BE(this.#end - start, start - 4);
  }

  take(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#end + bytes));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

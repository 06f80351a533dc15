import protobuf from 'protobufjs';

/**
 * Messages are written one behind the other into shared memory, of which each gets its part. A
 * larger message gets memory of its own.
 */
const slabBytes = 128 * 1_024;
/** Larger memory is not kept for the messages that follow. */
const maxSlabBytes = 1_024 * 1_024;
/** UTF-8 needs at most three bytes for a UTF-16 code unit. */
const widestUnit = 3;
/** For so few characters a loop is cheaper than the call of an encoder. */
const longestShort = 40;
/** Up to here the longest possible length of a text has as many bytes as its own, or one more. */
const longestGuessed = 16_384;
const varintBytes = 5;
const twoBytesFrom = 0x80;

/**
 * `Buffer.write` without its checks, which cost as much as writing a few dozen characters. It is
 * undocumented, and what the library itself writes with.
 */
const { utf8Write } = Buffer.prototype as unknown as {
  utf8Write: (this: Buffer, text: string, at: number) => number;
};

/**
 * The same text, and known to be one by V8's compiler. A string that was parsed, cut or joined has
 * another hidden class each; code that meets all of them looks up `length` in a table every time,
 * and methods too, unless they are called as functions.
 */
function known(text: string): string {
  if (typeof text !== 'string') throw new TypeError(`not a string but ${typeof text}`);
  return `${text}`;
}
const { charCodeAt } = String.prototype;

/** Writers whose message is finished. One whose message failed to be encoded does not return. */
const idle: DirectWriter[] = [];

/** From then on every message of the process is encoded by a DirectWriter. */
export function encodeDirectly(): void {
  protobuf.Writer.create = () => idle.pop() ?? new DirectWriter();
}

/**
 * Encodes while it is called. The writer of the library collects an operation for each value, and
 * carries them out when the length of the whole is known, which for a proposal to the ledger, of
 * some fifty values, costs twice as much. The length of a nested message is inserted once it is
 * known.
 */
class DirectWriter extends protobuf.Writer {
  #bytes = Buffer.allocUnsafeSlow(slabBytes);
  #start = 0;
  #end = 0;
  /** Where the nested messages that are being written begin. */
  readonly #nested: number[] = [];

  override uint32(value: number): this {
    this.#reserve(varintBytes);
    this.#putVarint(value >>> 0);
    return this;
  }

  override bool(value: boolean): this {
    this.#reserve(1);
    this.#bytes[this.#end++] = value ? 1 : 0;
    return this;
  }

  override string(text: string): this {
    const value = known(text);
    if (value.length <= longestShort && this.#putShortAscii(value)) return this;
    if (value.length > longestGuessed) return this.#longString(value);
    this.#reserve(varintBytes + value.length * widestUnit);
    const lengthAt = this.#end;
    const guess = varintLength(value.length);
    const length = utf8Write.call(this.#bytes, value, lengthAt + guess);
    this.#end = lengthAt + guess + length;
    this.#insertLength(lengthAt, guess);
    return this;
  }

  override bytes(value: Uint8Array | string): this {
    const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : value;
    this.#reserve(varintBytes + bytes.length);
    this.#putVarint(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
    return this;
  }

  override fork(): this {
    this.#reserve(1);
    this.#nested.push(this.#end);
    this.#end += 1;
    return this;
  }

  override ldelim(): this {
    this.#reserve(varintBytes);
    const lengthAt = this.#nested.pop();
    if (lengthAt !== undefined) this.#insertLength(lengthAt, 1);
    return this;
  }

  override finish(): Uint8Array {
    const message = this.#bytes.subarray(this.#start, this.#end);
    this.#start = this.#end;
    if (this.#bytes.length > maxSlabBytes) this.#takeSlab(slabBytes);
    if (!idle.includes(this)) idle.push(this);
    return message;
  }

  /** Through this method the library writes every type that has no method of its own here. */
  _push(
    write: (value: unknown, bytes: Buffer, at: number) => void,
    length: number,
    value: unknown,
  ) {
    this.#reserve(length);
    write(value, this.#bytes, this.#end);
    this.#end += length;
    return this;
  }

  #longString(value: string): this {
    const length = Buffer.byteLength(value);
    this.#reserve(varintBytes + length);
    this.#putVarint(length);
    this.#end += utf8Write.call(this.#bytes, value, this.#end);
    return this;
  }

  #putShortAscii(text: string): boolean {
    const value = known(text);
    this.#reserve(1 + longestShort);
    const bytes = this.#bytes;
    const at = this.#end + 1;
    for (let index = 0; index < value.length; index += 1) {
      const unit = charCodeAt.call(value, index);
      if (unit >= twoBytesFrom) return false;
      bytes[at + index] = unit;
    }
    bytes[at - 1] = value.length;
    this.#end = at + value.length;
    return true;
  }

  #putVarint(value: number): void {
    let rest = value;
    while (rest >= twoBytesFrom) {
      this.#bytes[this.#end++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#end++] = rest;
  }

  /** Writes the length of all that follows, for which `guess` bytes were left; there is room. */
  #insertLength(lengthAt: number, guess: number): void {
    const contentAt = lengthAt + guess;
    const length = this.#end - contentAt;
    const needed = varintLength(length);
    if (needed !== guess) this.#bytes.copyWithin(lengthAt + needed, contentAt, this.#end);
    this.#end = lengthAt;
    this.#putVarint(length);
    this.#end += length;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    const begun = this.#bytes.subarray(this.#start, this.#end);
    const lengthsAt = this.#nested.map((at) => at - this.#start);
    this.#takeSlab(Math.max(slabBytes, (begun.length + bytes) * 2));
    this.#bytes.set(begun);
    this.#end = begun.length;
    this.#nested.splice(0, lengthsAt.length, ...lengthsAt);
  }

  #takeSlab(size: number): void {
    this.#bytes = Buffer.allocUnsafeSlow(size);
    this.#start = 0;
    this.#end = 0;
  }
}

function varintLength(value: number): number {
  if (value < twoBytesFrom) return 1;
  if (value < 2 ** 14) return 2;
  return value < 2 ** 21 ? 3 : value < 2 ** 28 ? 4 : varintBytes;
}

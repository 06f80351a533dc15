/**
 * JSON as this API takes it: strictly, and without losing a digit.
 *
 * How numbers reach a schema. A number in the source becomes
 * - a JavaScript `number` when that number's own shortest spelling has exactly the value that was
 *   written (`10.00`, `279.99`, `1e2`: everything up to 15 significant digits), else
 * - a `JsonNumber` that keeps the source text (`0.12345678901234567890`, `9007199254740993`).
 * So `z.number()` and `z.int()` work as always and refuse what a double cannot hold, and money is
 * read as it was written: from `String(number)` or from the text of a `JsonNumber`.
 *
 * Refused as malformed (`JsonError`, 400): anything that is not one JSON text in UTF-8, a byte
 * order mark, duplicate keys, nesting deeper than 32, more than 1,000 keys in one object.
 * Refused by field (`problems`, 422, reported with what the schema finds): NUL and unpaired
 * surrogates, characters reserved for answer markers, `__proto__`, numbers no double comes near.
 */
import { hasMarkerCharacter } from '@countersign/kernel/answer';
import type { FieldError } from '@countersign/kernel/fault';
import { Decimal } from '@countersign/kernel/money';
import { ErrorList, maxErrorBytes } from '../errors/bounded-errors.js';
import { shortName } from '../errors/field-name.js';
import { JsonNumber } from './number.js';
import { readPlainJson } from './plain.js';
import { charactersOfUtf8, fromUtf8 } from './utf8.js';

export const maxJsonDepth = 32;
export const maxJsonKeys = 1_000;
const maxNumberLength = 128;

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonNumber
  | JsonValue[]
  | { [key: string]: JsonValue };

export interface ParsedJson {
  value: JsonValue;
  /** Errors that a schema cannot find any more; to be reported together with those it finds. */
  problems: FieldError[];
}

/** The text is not JSON as this API takes it. The message is fit for the caller. */
export class JsonError extends Error {
  constructor(
    reason: string,
    readonly position: number,
  ) {
    super(`The body is not valid JSON: ${reason} at character ${position}.`);
    this.name = 'JsonError';
  }
}

/** Collects problems up to `maxProblemBytes` of an answer. */
export function parseJson(bytes: Uint8Array, maxProblemBytes = maxErrorBytes): ParsedJson {
  let text: string;
  try {
    text = fromUtf8(bytes);
  } catch {
    throw new JsonError('it is not UTF-8', charactersOfUtf8(bytes));
  }
  const plain = readPlainJson(text, { maxDepth: maxJsonDepth, maxKeys: maxJsonKeys });
  if (plain === undefined) return readStrictly(text, maxProblemBytes);
  return { value: plain as JsonValue, problems: [] };
}

/** The strict parser, character by character; exported to be compared with the fast path. */
export function readStrictly(text: string, maxProblemBytes = maxErrorBytes): ParsedJson {
  return new Parser(text, maxProblemBytes).parse();
}

/** Why a text is refused, or null. Exported for query and path parameters, which are not JSON. */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the NUL character';
  if (/\p{Surrogate}/u.test(text)) return 'must not contain unpaired surrogates';
  if (hasMarkerCharacter(text)) return 'must not contain the characters U+E000 and U+E001';
  return null;
}

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const exactLength = 15;

class Parser {
  #position = 0;
  #depth = 0;
  readonly #path: Array<string | number> = [];
  readonly #problems: ErrorList;
  readonly #text: string;
  /** False for most bodies, whose strings need no check: no escapes and no reserved characters. */
  readonly #suspicious: boolean;

  constructor(text: string, maxProblemBytes: number) {
    this.#text = text;
    this.#problems = new ErrorList(maxProblemBytes);
    this.#suspicious = text.includes('\\u') || hasMarkerCharacter(text);
  }

  parse(): ParsedJson {
    const value = this.#value();
    this.#skipSpace();
    if (this.#position < this.#text.length) throw this.#error('unexpected text after the value');
    return { value, problems: this.#problems.all };
  }

  #value(): JsonValue {
    this.#skipSpace();
    switch (this.#text[this.#position]) {
      case '{':
        return this.#nested(() => this.#object());
      case '[':
        return this.#nested(() => this.#array());
      case '"':
        return this.#checked(this.#string());
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > maxJsonDepth) throw this.#error(`nesting deeper than ${maxJsonDepth}`);
    this.#position += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(): JsonValue {
    const members: { [key: string]: JsonValue } = {};
    if (this.#take('}')) return members;
    for (let count = 1; ; count += 1) {
      if (count > maxJsonKeys) throw this.#error(`more than ${maxJsonKeys} keys in one object`);
      this.#skipSpace();
      if (this.#text[this.#position] !== '"') throw this.#error('expected a key');
      const key = this.#string();
      if (Object.hasOwn(members, key)) {
        throw this.#error(`duplicate key ${JSON.stringify(shortName(key))}`);
      }
      if (!this.#take(':')) throw this.#error('expected ":"');
      this.#path.push(shortName(key));
      this.#checked(key);
      const value = this.#value();
      if (key === '__proto__') this.#report('unrecognized_keys', 'is not a field');
      else members[key] = value;
      this.#path.pop();
      if (this.#take('}')) return members;
      if (!this.#take(',')) throw this.#error('expected "," or "}"');
    }
  }

  #array(): JsonValue {
    const items: JsonValue[] = [];
    if (this.#take(']')) return items;
    for (;;) {
      this.#path.push(items.length);
      items.push(this.#value());
      this.#path.pop();
      if (this.#take(']')) return items;
      if (!this.#take(',')) throw this.#error('expected "," or "]"');
    }
  }

  #string(): string {
    const start = this.#position;
    let escaped = false;
    for (let at = start + 1; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x22) {
        this.#position = at + 1;
        return escaped ? this.#unescape(start) : this.#text.slice(start + 1, at);
      }
      if (code < 0x20) throw this.#error('control character in a string');
      if (code === 0x5c) {
        escaped = true;
        at += 1;
      }
    }
    throw this.#error('unterminated string');
  }

  #unescape(start: number): string {
    try {
      return JSON.parse(this.#text.slice(start, this.#position)) as string;
    } catch {
      throw new JsonError('bad escape', start);
    }
  }

  #number(): JsonValue {
    numberPattern.lastIndex = this.#position;
    const source = numberPattern.exec(this.#text)?.[0];
    if (source === undefined) throw this.#error('expected a value');
    this.#position += source.length;
    const value = Number(source);
    if (source.length <= exactLength && Number.isFinite(value) && !/[eE]/.test(source))
      return value;
    if (source.length > maxNumberLength || !Number.isFinite(value)) {
      this.#report('invalid_number', 'is out of range');
      return new JsonNumber(source);
    }
    return new Decimal(source).eq(String(value)) ? value : new JsonNumber(source);
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#position)) throw this.#error('expected a value');
    this.#position += word.length;
    return value;
  }

  #checked(text: string): string {
    const problem = this.#suspicious ? textProblem(text) : null;
    if (problem) this.#report('invalid_characters', problem);
    return text;
  }

  /** Field names are cut and the number of problems is bounded. */
  #report(type: string, message: string): void {
    this.#problems.add(() => ({ field: this.#path.join('.'), message, type }));
  }

  #take(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#position] !== character) return false;
    this.#position += 1;
    return true;
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#position);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#position += 1;
    }
  }

  #error(reason: string): JsonError {
    return new JsonError(reason, this.#position);
  }
}

import { hasMarkerCharacter } from '@countersign/kernel/answer-marker';
import { Decimal } from '@countersign/kernel/money';
import { ErrorList } from '../errors/bounded-errors.js';
import { shortName } from '../errors/field-name.js';
import { JsonNumber } from './number.js';
import { textProblem } from './text-problem.js';
import { JsonError, type JsonValue, maxJsonDepth, maxJsonKeys, type ParsedJson } from './value.js';

/** Parses character by character. */
export function readStrictly(text: string): ParsedJson {
  return new Parser(text).parse();
}

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const exactLength = 15;
const maxNumberLength = 128;

class Parser {
  #position = 0;
  #depth = 0;
  readonly #path: Array<string | number> = [];
  readonly #problems = new ErrorList();
  readonly #text: string;
  /** False for most bodies, whose strings need no check: no escapes and no reserved characters. */
  readonly #suspicious: boolean;

  constructor(text: string) {
    this.#text = text;
    this.#suspicious = text.includes('\\u') || hasMarkerCharacter(text);
  }

  parse(): ParsedJson {
    const value = this.#value();
    this.#skipSpace();
    if (this.#position < this.#text.length) throw this.#error('unexpected text after the value');
    return { value, problems: this.#problems.all() };
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
    if (source.length <= exactLength && !/[eE]/.test(source)) return value;
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
    if (!this.#problems.full) this.#problems.add({ field: this.#path.join('.'), message, type });
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

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
import { readPlainJson } from './plain.js';
import { readStrictly } from './strict-parser.js';
import { charactersOfUtf8, fromUtf8 } from './utf8.js';
import { JsonError, type JsonValue, maxJsonDepth, maxJsonKeys, type ParsedJson } from './value.js';

export function parseJson(bytes: Uint8Array): ParsedJson {
  let text: string;
  try {
    text = fromUtf8(bytes);
  } catch {
    throw new JsonError('it is not UTF-8', charactersOfUtf8(bytes));
  }
  const plain = readPlainJson(text, { maxDepth: maxJsonDepth, maxKeys: maxJsonKeys });
  if (plain === undefined) return readStrictly(text);
  return { value: plain as JsonValue, problems: [] };
}

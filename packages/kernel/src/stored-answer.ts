import type { AnswerColumns } from './answer-columns.js';
import { type PackedAnswer, packedLayout, packedLength, unpackedAnswer } from './packed-answer.js';

/**
 * The public answer, byte for byte as it was sent, from what the ledger stores and the columns
 * beside it. Where the database looked the answer up, it has put the columns before it. An answer
 * that is stored as it was sent is returned as it is: that of a fail-safe DECLINE.
 */
export function restoredAnswer(stored: string, columns?: AnswerColumns): string {
  if (stored.startsWith('[')) return unpackedWith(columns, JSON.parse(stored));
  return stored;
}

type Packed = PackedAnswer | [columns: AnswerColumns, packed: PackedAnswer];

function unpackedWith(columns: AnswerColumns | undefined, stored: Packed): string {
  if (typeof stored[0] === 'object')
    return unpackedWith(...(stored as [AnswerColumns, PackedAnswer]));
  if (stored[0] !== packedLayout) throw unknownLayout(stored[0]);
  const { length }: readonly unknown[] = stored;
  if (length !== packedLength)
    throw new Error(`a stored answer has ${length} values, not ${packedLength}`);
  if (!columns) throw new Error('a stored answer came without its columns');
  return unpackedAnswer(stored as PackedAnswer, columns);
}

function unknownLayout(number: unknown): Error {
  return new Error(`a stored answer has the unknown layout ${number}`);
}

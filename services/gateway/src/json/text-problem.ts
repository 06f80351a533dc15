import { hasMarkerCharacter } from '@countersign/kernel/answer-marker';

/** Why a text is refused, or null. Exported for query and path parameters, which are not JSON. */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the NUL character';
  if (/\p{Surrogate}/u.test(text)) return 'must not contain unpaired surrogates';
  if (hasMarkerCharacter(text)) return 'must not contain the characters U+E000 and U+E001';
  return null;
}

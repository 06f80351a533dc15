interface Wording {
  /** Of a longer list only so many are named, and how many there are. */
  most?: number;
  /** How a name is written; as it is unless given. */
  spell?: (name: string) => string;
}

/** `A, B or C`, for a sentence that says what may be chosen. */
export function oneOf(
  names: readonly string[],
  { most = Number.POSITIVE_INFINITY, spell = (name) => name }: Wording = {},
): string {
  const listed = names.slice(0, most).map((name) => spell(name));
  if (names.length > most) return `${listed.join(', ')} or another of ${names.length}`;
  const last = listed.at(-1) ?? '';
  return listed.length > 1 ? `${listed.slice(0, -1).join(', ')} or ${last}` : last;
}

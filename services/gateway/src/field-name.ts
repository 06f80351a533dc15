/** Of no field that anybody means: the longest names of this API have some thirty characters. */
const maxNameLength = 200;

/**
 * A field as errors name it: dotted, with indexes. Names that a caller has made up are cut, since
 * one long name in front of very many mistakes would otherwise be written for each of them.
 */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.map(shortName).join('.');
}

export function shortName(name: PropertyKey): string {
  const text = String(name);
  if (text.length <= maxNameLength) return text;
  // Half of a pair would be no character.
  return `${text.slice(0, maxNameLength).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * RFC 8785: the canonical text of a value, over which hashes are computed. It has the members that
 * JSON sends: dates and the decimals of a library in the form that they define, and none that are
 * undefined.
 */
export function canonicalJson(value: unknown): string {
  return inOrder(JSON.parse(JSON.stringify(value)));
}

function inOrder(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inOrder).join(',')}]`;
  const members = Object.entries(value)
    // By UTF-16 code units, as the RFC requires.
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${inOrder(member)}`);
  return `{${members.join(',')}}`;
}

/** FNV-1a of 32 bits, over UTF-16 units. To spread by: whoever wants to can make two texts meet. */
export function fnv1a(text: string, seed = 0x811c9dc5): number {
  let value = seed;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}

/** 32-bit FNV-1a over UTF-16 units. For distribution only: collisions are easily constructed. */
export function fnv1a(text: string, seed = 0x811c9dc5): number {
  let value = seed;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}

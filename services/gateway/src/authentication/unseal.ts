import { openBytes } from '@countersign/kernel/cipher';

/** With whichever of the keys it was sealed; null where it was none of them. */
export function unsealAny(keys: readonly Buffer[], place: string, sealed: Buffer): Buffer | null {
  for (const key of keys) {
    try {
      return openBytes(key, place, sealed);
    } catch {
      // Another may have been in use when it was sealed.
    }
  }
  return null;
}

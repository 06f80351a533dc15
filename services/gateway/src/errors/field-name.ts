import { shortened } from '@countersign/kernel/shortened';

/** Far longer than any field of this API, whose names have at most some thirty characters. */
const maxNameLength = 200;

/**
 * A field as errors name it: dotted, with indexes. Long names made up by a caller are cut, since
 * the name of a parent is repeated in every error below it.
 */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.map(shortName).join('.');
}

export function shortName(name: PropertyKey): string {
  return shortened(String(name), maxNameLength);
}

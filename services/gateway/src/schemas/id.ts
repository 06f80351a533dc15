import { type IdKind, idPrefixes } from '@countersign/kernel/id';
import { z } from 'zod';

/** The form of an id in examples and in the tests of them. */
const exampleSuffix = '01k5a3v7q8e9f0g1h2j3k4m5n6';

export function exampleId(kind: IdKind): string {
  return `${idPrefixes[kind]}_${exampleSuffix}`;
}

/**
 * An id in a request. Its prefix must be right, its rest only harmless: an id that was never given
 * out is then found missing by the owner of the resource, the same as one that belongs to another.
 */
export function idOf(kind: IdKind) {
  const prefix = idPrefixes[kind];
  return z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9A-Za-z_-]{1,64}$`), {
      error: `must be an id that begins with ${prefix}_`,
    })
    .meta({ examples: [exampleId(kind)] });
}

/** An id in an answer. */
export function answeredId(kind: IdKind) {
  return z.string().meta({ examples: [exampleId(kind)] });
}

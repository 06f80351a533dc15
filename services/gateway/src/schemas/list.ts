import { z } from 'zod';
import { documentedAs } from './documented-as.js';
import { rule } from './rule.js';

/** A list that is compared as a set: what is said twice is kept once. */
export function setOf<T extends z.ZodType>(item: T, maxItems: number, minItems = 0) {
  return z
    .array(item)
    .min(minItems, { error: `must name at least ${minItems}` })
    .max(maxItems, { error: `must name at most ${maxItems}` })
    .transform((items) => [...new Set(items)]);
}

/** `limit` and `cursor` of every cursor list. */
export const pageQuery = {
  limit: wholeNumber({ min: 1, max: 100, fallback: 25 }).meta({
    description: 'Size of a page.',
  }),
  cursor: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .meta({ description: '`next_cursor` of the page before; opaque.' }),
};

export const pageQuerySchema = z.object(pageQuery);

interface Range {
  min: number;
  max: number;
  fallback: number;
}

/** A whole number of a query string. */
export function wholeNumber({ min, max, fallback }: Range) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { error: message })
    .transform(Number)
    .refine((value) => value >= min && value <= max, rule('out_of_range', message))
    .default(fallback)
    .meta(documentedAs({ type: 'integer', minimum: min, maximum: max, default: fallback }));
}

const pagination = z
  .object({
    has_more: z.boolean().meta({ examples: [false] }),
    next_cursor: z
      .string()
      .nullable()
      .meta({ examples: [null] }),
    limit: z.int().meta({ examples: [25] }),
  })
  .meta({ id: 'Pagination' });

/** The envelope of a cursor list. */
export function pageOf<T extends z.ZodType>(item: T, id: string) {
  return z.object({ data: z.array(item), pagination }).meta({ id });
}

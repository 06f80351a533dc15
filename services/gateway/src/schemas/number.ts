import { z } from 'zod';
import { JsonNumber } from '../json/number.js';

/** A number that is no money: one written with more digits than a double holds is rounded to it. */
export function plainNumber<T extends z.ZodType<number>>(schema: T) {
  return z.preprocess((value) => (value instanceof JsonNumber ? value.toNumber() : value), schema);
}

import type { CallOptions } from '../http/call.js';
import type { Page } from '../pages.js';

export interface ListOptions extends CallOptions {
  /** Page size, 1 to 100; 25 by default. */
  limit?: number | undefined;
}

interface Envelope<T> {
  data: T[];
  pagination: { next_cursor: string | null };
}

/** A page of the API with its items converted. */
export function pageOf<T, U>({ data, pagination }: Envelope<T>, each: (item: T) => U): Page<U> {
  return { items: data.map(each), nextCursor: pagination.next_cursor };
}

export function asItIs<T>(item: T): T {
  return item;
}

import { UnavailableError } from './errors.js';

export interface Page<T> {
  items: T[];
  /** Cursor of the next page; null on the last. */
  nextCursor: string | null;
}

/** A list: page by page, or item by item with `for await`, fetched on demand. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #fetch: (cursor: string | undefined) => Promise<Page<T>>;

  constructor(fetch: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#fetch = fetch;
  }

  /** One page: the first, or the one at this cursor. */
  page(cursor?: string): Promise<Page<T>> {
    return this.#fetch(cursor);
  }

  async *pages(cursor?: string): AsyncGenerator<Page<T>, void, undefined> {
    for (let at = cursor; ; ) {
      const page = await this.#fetch(at);
      yield page;
      if (page.nextCursor === null) return;
      if (page.nextCursor === at) throw endless();
      at = page.nextCursor;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** The first items, at most this many. */
  async take(most: number): Promise<T[]> {
    const taken: T[] = [];
    if (most <= 0) return taken;
    for await (const item of this) if (taken.push(item) >= most) break;
    return taken;
  }
}

function endless(): UnavailableError {
  const message = 'The list does not end: a page names itself as the next one.';
  return new UnavailableError(message, { code: 'UNEXPECTED_ANSWER', outcomeUnknown: false });
}

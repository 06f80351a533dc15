import type { ErrorTable } from '../errors/error-catalog.js';
import type { Reply } from '../request.js';
import type { OpenApiDocument } from './compose.js';
import { docsPage } from './docs-page.js';

/** A description as its two answers, each made when it is first asked for. */
export class Publication {
  readonly #text: (baseUrl: string) => string;
  readonly #page: (baseUrl: string) => ReturnType<typeof docsPage>;

  constructor(describe: (baseUrl: string) => OpenApiDocument, errors: readonly ErrorTable[]) {
    const document = once(describe);
    this.#text = once((baseUrl) => JSON.stringify(document(baseUrl)));
    this.#page = once((baseUrl) => docsPage(document(baseUrl), errors));
  }

  document(baseUrl: string, headers: Record<string, string> = {}) {
    return { status: 200, text: this.#text(baseUrl), headers } satisfies Reply;
  }

  page(baseUrl: string, headers: Record<string, string> = {}) {
    const { html, contentSecurityPolicy } = this.#page(baseUrl);
    return {
      status: 200,
      text: html,
      contentType: 'text/html; charset=utf-8',
      headers: { 'Content-Security-Policy': contentSecurityPolicy, ...headers },
    } satisfies Reply;
  }
}

/** Remembers the last result; a process has one base URL. */
function once<T>(make: (baseUrl: string) => T): (baseUrl: string) => T {
  let made: { baseUrl: string; value: T } | null = null;
  return (baseUrl) => {
    if (made?.baseUrl !== baseUrl) made = { baseUrl, value: make(baseUrl) };
    return made.value;
  };
}

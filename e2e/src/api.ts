import { contractOf, operatorContractOf } from './contract.js';

/** A response as a client sees it, with only the JSON parsed. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the contract says is there.
  body: any;
}

export interface Api {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  headers?: Record<string, string>;
  body?: unknown;
  /** Sent verbatim, for bodies that JSON.stringify would not produce. */
  rawBody?: string | Uint8Array;
  contentType?: string;
}

const deadlineMs = 15_000;

/** The operator's interface has a document of its own, on its own listener. */
const internal = '/internal/';

/**
 * A client with one credential, given as headers. It rejects any response that the served OpenAPI
 * document does not allow, so every test that makes calls also verifies the document.
 */
export function api(baseUrl: string, credential: Record<string, string> = {}): Api {
  const call = async (method: string, path: string, options: CallOptions = {}): Promise<Answer> => {
    const hasBody = options.rawBody !== undefined || options.body !== undefined;
    const url = new URL(`${baseUrl}${path}`);
    const response = await fetch(url, {
      method,
      headers: {
        ...(hasBody && { 'content-type': options.contentType ?? 'application/json' }),
        ...credential,
        ...options.headers,
      },
      ...(hasBody && { body: options.rawBody ?? JSON.stringify(options.body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(deadlineMs),
    });
    const text = await response.text();
    const { status, headers } = response;
    const answer = { status, headers, text, body: parse(text) };
    const contract = await (path.startsWith(internal)
      ? operatorContractOf(baseUrl, credential)
      : contractOf(baseUrl));
    // The path as it was sent; URL parsing resolves dot segments before that.
    const complaint = contract({ ...answer, method, path: url.pathname });
    if (complaint) throw new Error(`${method} ${path}: ${complaint}: ${status} ${text}`);
    return answer;
  };
  return {
    call,
    get: (path, options) => call('GET', path, options),
    post: (path, body, options) => call('POST', path, { ...options, body }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

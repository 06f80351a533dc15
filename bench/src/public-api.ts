/** A response of the public API, untyped. */
// biome-ignore lint/suspicious/noExplicitAny: what is in an answer is the contract's to say.
export type Answer = any;

const deadlineMs = 15_000;

export interface Call {
  method?: string;
  body?: object;
  headers: Record<string, string>;
}

/** Calls the public API; an error response is thrown with its content. */
export function call(url: string, { method = 'POST', body, headers }: Call): Promise<Answer> {
  return send(url, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

export function postForm(url: string, fields: Record<string, string>): Promise<Answer> {
  return send(url, { method: 'POST', body: new URLSearchParams(fields) });
}

async function send(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(deadlineMs) });
  if (response.ok) return response.json();
  throw new Error(`${init.method} ${url} answered ${response.status}: ${await response.text()}`);
}

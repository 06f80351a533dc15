import { until } from '@countersign/runtime/testing';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  json: any;
}

export interface Sent {
  method?: string;
  key?: string;
  token?: string;
  ip?: string;
  body?: unknown;
  /** Sent as it is, whatever it is. */
  raw?: string | Uint8Array;
  headers?: Record<string, string>;
  /** Whatever it is answered; otherwise a call is repeated while that is 503. */
  once?: boolean;
}

const patientlyMs = 60_000;

/**
 * A busy machine may have no connection to the database, or no answer from it, within the second
 * that a call has for it. Its caller is told to repeat it.
 */
export function request(url: string, sent: Sent): Promise<Answer> {
  if (sent.once) return requestOnce(url, sent);
  return until(
    async () => {
      const answer = await requestOnce(url, sent);
      return answer.status === 503 ? null : answer;
    },
    { timeoutMs: patientlyMs, what: `another answer than 503 of ${url}` },
  );
}

async function requestOnce(
  url: string,
  { method, body, raw, headers = {} }: Sent,
): Promise<Answer> {
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(url, {
    method: method ?? (text === undefined ? 'GET' : 'POST'),
    headers: { ...(text !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(text !== undefined && { body: text }),
  });
  return answerOf(response);
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

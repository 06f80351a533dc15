import { numberWidth, paddedNumber } from '../spender-ids.js';

/**
 * The requests that a generator sends. They are computed from numbers, so that the plan is small.
 */
export interface RequestPlan {
  method: 'POST' | 'GET';
  path: string;
  /** Lines of the form `name: value`; `{n}` is replaced as in the body. */
  headers: readonly string[];
  /**
   * `{n}` is replaced by the padded number of the mandate, agent and Principal, `{k}` by the number
   * of the request. Null sends no body.
   */
  body: string | null;
  /** Requests cycle through this many mandates, numbered from 1. */
  mandates: number;
  /** Mandate of the first request. */
  firstMandate: number;
  /** Number of different values of `{k}`, after which they repeat; 0 never repeats. */
  keysGoRound: number;
  /** First value of `{k}`, so that no two loads of a run send the same key. */
  firstKey: number;
}

const keyWidth = 12;

export type MakeRequest = () => Buffer;

/** The bytes of successive requests. Their length is constant, so the headers are too. */
export function requestMaker(plan: RequestPlan, port: number): MakeRequest {
  const fill = (text: string, n: string, k: string): string =>
    text.replaceAll('{n}', n).replaceAll('{k}', k);
  const blank = fill(plan.body ?? '', ''.padStart(numberWidth), ''.padStart(keyWidth));
  const lines = [
    `${plan.method} ${plan.path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    ...plan.headers,
    ...(plan.body === null
      ? []
      : ['content-type: application/json', `content-length: ${Buffer.byteLength(blank)}`]),
  ];
  const parts = split(`${lines.join('\r\n')}\r\n\r\n${plan.body ?? ''}`);
  let sent = 0;
  return () => {
    const mandate = paddedNumber(((plan.firstMandate - 1 + sent) % plan.mandates) + 1);
    const turn = plan.keysGoRound > 0 ? sent % plan.keysGoRound : sent;
    const key = String(plan.firstKey + turn).padStart(keyWidth, '0');
    sent += 1;
    let text = '';
    for (const part of parts) text += part === '{n}' ? mandate : part === '{k}' ? key : part;
    return Buffer.from(text, 'latin1');
  };
}

function split(template: string): string[] {
  return template.split(/(\{n\}|\{k\})/);
}

/** Which requests a generator sends: made from numbers alone, so that a plan is all it needs. */
export interface RequestPlan {
  method: 'POST' | 'GET';
  path: string;
  /** Lines of the form `name: value`; `{n}` is replaced as in the body. */
  headers: readonly string[];
  /**
   * `{n}` is replaced by the padded number of the mandate and so of agent and Principal, `{k}` by
   * the number of the request. Null sends none.
   */
  body: string | null;
  /** Requests go round these many mandates; numbers begin with 1. */
  mandates: number;
  /** The one that the first request is of. */
  firstMandate: number;
  /** Where `{k}` goes round and begins anew; 0 counts on for ever. */
  keysGoRound: number;
  /** Where `{k}` begins, so that no two loads of a run send the same key. */
  firstKey: number;
}

export const numberWidth = 24;
const keyWidth = 12;

export type MakeRequest = () => Buffer;

/** The bytes of one request after the other. Their length never changes, so neither do headers. */
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
    const mandate = String(((plan.firstMandate - 1 + sent) % plan.mandates) + 1).padStart(
      numberWidth,
      '0',
    );
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

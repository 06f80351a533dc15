import type { RequestPlan } from './load/requests.js';

/** How a request is to differ from the usual one: a fresh payment over many mandates. */
export interface Variation {
  mandates?: number;
  /** Repeats so many keys instead of counting on: all but the first of each are replays. */
  keysGoRound?: number;
  firstKey?: number;
}

/** Something that answers POST /authorize and is measured. */
export interface Subject {
  name: string;
  /** Whether what the shared servers do while idle is its doing. */
  isProduct: boolean;
  port: number;
  /** Its own processes by name, without the servers that all subjects share. */
  pids(): Record<string, number>;
  plan(variation?: Variation): RequestPlan;
}

export const spreadMandates = 10_000;

/** Keys of one run never repeat unless it is asked for. */
let keysGiven = 0;
const keysALoad = 10_000_000;

/**
 * Loads begin at other mandates, so that all of them come up in turn; prime to any round number.
 * The same keys come with the same mandates again.
 */
const mandatesALoad = 3_989;

export function nextFirstKey(): number {
  keysGiven += keysALoad;
  return keysGiven;
}

/** About 365 bytes, as an agent would send them. */
export const paymentBody = JSON.stringify({
  agent_id: 'agt_01{n}',
  amount: '12.50',
  currency: 'USD',
  intent_context: {
    task_reference: 'task-2026-11-21-{k}',
    intent_type: 'PURCHASE',
    reasoning_summary: 'Cheapest of three offers.',
  },
  merchant_name: 'Corner Shop',
  merchant_id: 'm-1001',
  mcc: '5411',
  country: 'USA',
  client_reference: 'order-{k}',
  idempotency_key: 'pay-{k}',
});

export function paymentPlan(
  headers: readonly string[],
  { mandates = spreadMandates, keysGoRound = 0, firstKey = nextFirstKey() }: Variation = {},
): RequestPlan {
  return {
    method: 'POST',
    path: '/api/v1/authorize',
    headers,
    body: paymentBody,
    mandates,
    firstMandate: (((firstKey / keysALoad) * mandatesALoad) % mandates) + 1,
    keysGoRound,
    firstKey,
  };
}

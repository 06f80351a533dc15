import type { RequestPlan } from './load/requests.js';

/** How a request differs from the default: a new payment, over many mandates. */
export interface Variation {
  mandates?: number;
  /**
   * Number of keys to repeat instead of counting on: all but the first request of each are replays.
   */
  keysGoRound?: number;
  firstKey?: number;
}

/** A server of POST /authorize that is measured. */
export interface Subject {
  name: string;
  /** Whether the idle CPU of the shared servers is caused by it. */
  isProduct: boolean;
  port: number;
  /** Its own process ids by name, without the shared servers. */
  pids(): Record<string, number>;
  plan(variation?: Variation): RequestPlan;
}

export const spreadMandates = 10_000;

/** Keys of one run never repeat, unless requested. */
let keysGiven = 0;
const keysALoad = 10_000_000;

/**
 * Distance between the first mandates of successive loads, so that all of them are used; coprime to
 * any round number. The same keys come with the same mandates again.
 */
const mandatesALoad = 3_989;

export function nextFirstKey(): number {
  keysGiven += keysALoad;
  return keysGiven;
}

/** About 365 bytes, like the request of an agent. */
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

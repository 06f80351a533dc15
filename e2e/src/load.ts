import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { pick, type Random, randomFrom, until } from '@countersign/runtime/testing';
import type { Answer } from './api.js';
import type { SeenAnswer } from './checker.js';
import { paymentBody, type Spender } from './tenant.js';

/** Payments from several concurrent callers, some of them sent twice, some reversed afterwards. */
export interface Load {
  /** Every answer to a payment, as its caller received it. */
  readonly answers: SeenAnswer[];
  /** Payments without an answer: there must be none, whatever is unavailable. */
  readonly unanswered: string[];
  /** How often a payment was refused for lack of capacity and retried after the given time. */
  readonly turnedAway: number;
  /** Resolves after this many further decisions other than fail-safe ones. */
  decided(count: number): Promise<void>;
  /** Resolves after this many further answers of any kind. */
  answered(count: number): Promise<void>;
  /** Resolves when the requests in flight have been answered. */
  stop(): Promise<void>;
  /** Repeats earlier payments; returns those that were not answered as replays. */
  replay(count: number): Promise<string[]>;
}

interface Payment {
  spender: Spender;
  key: string;
  body: Record<string, unknown>;
}

const callers = 6;
const duplicatePercent = 10;
const reversalPercent = 15;
/** Duplicates are taken from these: payments in flight or just answered. */
const recentPayments = 40;
const progressTimeoutMs = 60_000;
const maxTries = 30;

export function startLoad(spenders: readonly Spender[], seed: number): Load {
  const random = randomFrom(seed);
  const sender = new Sender();
  const payments: Payment[] = [];
  let running = true;
  const caller = async (): Promise<void> => {
    while (running) {
      const again = random(100) < duplicatePercent && payments.at(-1 - random(recentPayments));
      const payment = again || newPayment(spenders, random);
      if (!again) payments.push(payment);
      const answer = await sender.send(payment);
      if (answer?.body?.decision === 'APPROVE' && random(100) < reversalPercent)
        await reverse(payment.spender, answer.body.authorization_id, random(2) === 0);
    }
  };
  const working = Array.from({ length: callers }, caller);

  return {
    answers: sender.answers,
    unanswered: sender.unanswered,
    get turnedAway() {
      return sender.turnedAway;
    },
    decided: (count) => grown(() => sender.decisions, count),
    answered: (count) => grown(() => sender.answers.length, count),
    stop: async () => {
      running = false;
      await Promise.all(working);
    },
    replay: async (count) => {
      const failed: string[] = [];
      for (let n = 0; n < count; n += 1) {
        const payment = pick(random, payments);
        const answer = payment && (await repeated(() => sender.send(payment)));
        if (!isReplayed(answer))
          failed.push(`${payment?.key}: ${answer?.status} ${answer?.text.slice(0, 200)}`);
      }
      return failed;
    },
  };
}

/** Sends payments, and keeps what becomes of them. */
class Sender {
  readonly answers: SeenAnswer[] = [];
  readonly unanswered: string[] = [];
  decisions = 0;
  turnedAway = 0;

  async send(payment: Payment, tries = maxTries): Promise<Answer | null> {
    const { spender, key, body } = payment;
    const sentAt = Date.now();
    try {
      const answer = await spender.acting.post('/api/v1/authorize', body);
      const { status, text } = answer;
      const againAfterS = Number(answer.headers.get('retry-after'));
      if (status === 429 && againAfterS > 0 && tries > 1) {
        this.turnedAway += 1;
        await pause(againAfterS * 1_000);
        return this.send(payment, tries - 1);
      }
      const { principalId } = spender;
      this.answers.push({ principalId, key, status, text, sentAt, receivedAt: Date.now() });
      if (!isSafe(answer)) this.decisions += 1;
      return answer;
    } catch (error) {
      this.unanswered.push(`${key}: ${error}`);
      return null;
    }
  }
}

/** A stall of the machine may end in a fail-safe answer, which the next repetition must repeat. */
async function repeated(send: () => Promise<Answer | null>): Promise<Answer | null> {
  const answer = await send();
  return answer && isSafe(answer) && !isReplayed(answer) ? send() : answer;
}

async function grown(size: () => number, by: number): Promise<void> {
  const wanted = size() + by;
  const what = `${by} more of ${wanted - by}`;
  await until(() => size() >= wanted, { timeoutMs: progressTimeoutMs, what });
}

function newPayment(spenders: readonly Spender[], random: Random): Payment {
  const spender = pick(random, spenders);
  if (!spender) throw new Error('nobody spends');
  const key = randomUUID();
  const amount = `${1 + random(9)}.${10 + random(90)}`;
  return { spender, key, body: paymentBody(spender.agentId, { amount, idempotency_key: key }) };
}

/** Frees part of a limit, so that it is reached again; may fail during a fault. */
async function reverse({ acting }: Spender, id: string, whole: boolean): Promise<void> {
  const body = { authorization_id: id, ...(!whole && { amount: '0.50' }) };
  await acting.post('/api/v1/authorize/reverse', body).catch(() => {});
}

function isReplayed(answer: Answer | null | undefined): boolean {
  return answer?.headers.get('idempotent-replayed') === 'true';
}

function isSafe({ body }: Answer): boolean {
  return body?.reason_codes?.[0] === 'SYSTEM_FAIL_SAFE';
}

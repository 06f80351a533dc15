import { type Random, until } from '@countersign/runtime/testing';
import type { Answer, Api } from './api.js';
import type { CommitOrder, Interval } from './commit-order.js';
import { insist } from './retries.js';
import { doorOf, type Site } from './site.js';
import { expectStatus, paymentBody } from './tenant.js';
import type { Withdrawal } from './withdrawal.js';

/** The load around a withdrawal; every number counts payments of 10.00. */
export interface Round {
  /** Approved concurrently through each gateway before the withdrawal. */
  warmUps: number;
  /** Callers that pay one payment after the other during the withdrawal. */
  callers: number;
  /** Answers to them before the withdrawal is sent. */
  head: number;
  /** Sent at the moment it is answered, through every gateway, mostly through others. */
  shots: number;
  /** A pending challenge is confirmed during and after the withdrawal. */
  challenge: boolean;
}

export interface Shot {
  /** Sent after the withdrawal was answered. */
  after: boolean;
  answer: Answer;
}

export interface Played {
  withdrawal: Withdrawal;
  payments: Shot[];
  confirmations: Shot[];
  /** Null if the ledger does not know of the withdrawal. */
  interval: Interval | null;
}

export interface Setting {
  site: Site;
  order: CommitOrder;
  random: Random;
  /** Unique to this round. */
  reference: string;
}

const path = '/api/v1/authorize';
/** In the sandbox this amount requires a human, whatever the thresholds. */
const challenging = '666.02';

/** Withdraws while payments are in flight, sends more once it is answered, and restores. */
export async function playRound(
  withdrawal: Withdrawal,
  round: Round,
  setting: Setting,
): Promise<Played> {
  const { site, order, random, reference } = setting;
  await withdrawal.prepare?.(site);
  await warmUp(setting, round.warmUps);
  const challengeId = round.challenge ? await newChallenge(setting) : null;

  const race = new Race(setting, challengeId);
  const through = random(site.doors.length);
  const fenced = withdrawal.fenced?.(site) ?? null;
  const { principalId } = site;
  const callers = Array.from({ length: round.callers }, (_, index) => race.keepPaying(index));
  await race.answered(round.callers > 0 ? round.head : 0);
  const confirming = race.confirm(through + 1);
  const take = async () => expectStatus(await withdrawal.take(site, doorOf(site, through)), 200);
  await insist(`${reference}: to hold`, take).finally(() => race.end());
  const looking = order.now(fenced);
  const burst = Array.from({ length: round.shots }, (_, index) =>
    race.pay(doorOf(site, index % 4 === 3 ? through : through + 1)),
  );
  await Promise.all([...burst, race.confirm(through + 1)]);
  await Promise.all([...callers, confirming]);
  const answered = await looking;
  const ended = await order.now();
  const interval = fenced === null ? null : { principalId, reference, answered, ended };
  await insist(`${reference}: to be undone`, () => withdrawal.restore(site));
  if (challengeId) await insist(`${reference}: to be denied`, () => settle(site, challengeId));
  const { payments, confirmations } = race;
  return { withdrawal, payments, confirmations, interval };
}

/** Until every gateway has approved, so that every cache holds a positive result. */
async function warmUp({ site, reference }: Setting, count: number): Promise<void> {
  const body = paymentBody(site.agentId);
  for (const door of count > 0 ? site.doors : []) {
    await until(
      async () => {
        const warming = Array.from({ length: count }, () => door.post(path, body));
        const answers = await Promise.all(warming);
        return answers.every((answer) => answer.body.decision === 'APPROVE');
      },
      { what: `approvals before ${reference}` },
    );
  }
}

async function newChallenge({ site, reference }: Setting): Promise<string> {
  const extra = { amount: challenging, client_reference: reference };
  const door = doorOf(site, 0);
  const asked = await until(
    async () => {
      const { body } = await door.post(path, paymentBody(site.agentId, extra));
      return body.decision === 'STEP_UP' && body;
    },
    { what: `a challenge of ${reference}` },
  );
  return asked.authorization_id;
}

/** Answers challenges that are still pending, so that they do not count in the next round. */
async function settle(site: Site, challengeId: string): Promise<void> {
  const door = doorOf(site, 0);
  const answer = await door.post(`${path}/step-up/${challengeId}/deny`);
  if (answer.status !== 400) expectStatus(answer, 200);
}

class Race {
  #withdrawn = false;
  readonly payments: Shot[] = [];
  readonly confirmations: Shot[] = [];
  readonly #setting: Setting;
  readonly #challengeId: string | null;
  readonly #waiting: Array<{ count: number; resolve: () => void }> = [];

  constructor(setting: Setting, challengeId: string | null) {
    this.#setting = setting;
    this.#challengeId = challengeId;
  }

  async pay(door: Api): Promise<void> {
    const { site, reference } = this.#setting;
    const extra = { client_reference: reference };
    const after = this.#withdrawn;
    const answer = await door.post(path, paymentBody(site.agentId, extra));
    this.payments.push({ after, answer });
    for (const { count, resolve } of this.#waiting) if (this.payments.length >= count) resolve();
  }

  /** The last payment of each caller is sent after the withdrawal was answered. */
  async keepPaying(index: number): Promise<void> {
    const door = doorOf(this.#setting.site, index);
    for (let last = false; !last; ) {
      last = this.#withdrawn;
      await this.pay(door);
    }
  }

  async confirm(index: number): Promise<void> {
    if (!this.#challengeId) return;
    const after = this.#withdrawn;
    const door = doorOf(this.#setting.site, index);
    const answer = await door.post(`${path}/step-up/${this.#challengeId}/confirm`);
    this.confirmations.push({ after, answer });
  }

  /** Called when the withdrawal is answered: everything sent from now on is sent after it. */
  end(): void {
    this.#withdrawn = true;
  }

  /** Resolves when this many payments have been answered. */
  answered(count: number): Promise<void> {
    if (this.payments.length >= count) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ count, resolve });
    });
  }
}

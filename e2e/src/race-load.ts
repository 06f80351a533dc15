import { randomUUID } from 'node:crypto';
import { pick, type Random, randomFrom } from '@countersign/runtime/testing';
import type { Answer } from './api.js';
import type { Decided, Purse, Told } from './purse.js';
import { ReportLoad } from './report-load.js';
import { doorOf } from './site.js';
import { paymentBody } from './tenant.js';

export interface RaceOptions {
  purses: readonly Purse[];
  steps: number;
  seed: number;
}

const inFlight = 32;

/**
 * Pays, reverses, answers challenges and reports outcomes concurrently through every gateway. The
 * kind of a step is determined by the seed and its number, its target by the current state.
 */
export async function race({ purses, steps, seed }: RaceOptions): Promise<Told> {
  const told: Told = {
    answers: [],
    amendments: [],
    reports: [],
    decided: [],
    refused: { key: 0, reversal: 0, stepUp: 0 },
    shed: 0,
    unexplained: [],
  };
  const load = new RaceLoad(purses, told);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let step = next++; step < steps; step = next++) await load.step(randomFrom(seed + step));
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return told;
}

class RaceLoad {
  readonly #purses: readonly Purse[];
  readonly #told: Told;
  readonly #reports: ReportLoad;
  readonly #bodies: Array<{ purse: Purse; body: Record<string, unknown> }> = [];
  readonly #challenges: Decided[] = [];
  readonly #approved: Decided[] = [];

  constructor(purses: readonly Purse[], told: Told) {
    this.#purses = purses;
    this.#told = told;
    this.#reports = new ReportLoad(told);
  }

  async step(random: Random): Promise<void> {
    const kind = random(100);
    const approved = pick(random, this.#approved);
    const decided = pick(random, this.#told.decided);
    if (kind < 45 || !decided || !approved) return this.#pay(random);
    if (kind < 52) return this.#payAgain(random);
    // Occasionally an authorization that reserved nothing.
    if (kind < 68) return this.#reverse(random, random(10) > 0 ? approved : decided);
    if (kind < 84) return this.#answerChallenge(random);
    return this.#reports.step(random, [decided, approved]);
  }

  async #pay(random: Random): Promise<void> {
    const purse = pick(random, this.#purses);
    if (!purse) throw new Error('there is nothing to spend');
    const key = random(8) > 0 ? randomUUID() : null;
    const amount = 1 + random(purse.most);
    const networkRrn = randomUUID();
    const body = paymentBody(purse.agentId, {
      amount: amountText(amount, purse),
      currency: purse.currency,
      network_rrn: networkRrn,
      ...(key !== null && { idempotency_key: key }),
    });
    const copies = key !== null && random(3) === 0 ? 1 + random(3) : 0;
    const first = random(purse.doors.length);
    const sent = Array.from({ length: 1 + copies }, (_, n) => this.#send(purse, first + n, body));
    if (key !== null && random(12) === 0) {
      const other = { ...body, merchant_name: 'Another shop' };
      sent.push(this.#send(purse, first + 1, other));
    }
    const [answer] = (await Promise.all(sent)).filter(({ status }) => status === 200);
    if (key !== null) this.#bodies.push({ purse, body });
    if (!answer) return;
    const { authorization_id: id, decision, reason_codes: codes } = answer.body;
    // A fail-safe answer may not be recorded yet.
    if (codes.includes('SYSTEM_FAIL_SAFE')) return;
    this.#keep({ purse, id, key, amount, networkRrn, decision });
  }

  #keep(decided: Decided): void {
    this.#told.decided.push(decided);
    if (decided.decision === 'APPROVE') this.#approved.push(decided);
    if (decided.decision === 'STEP_UP') this.#challenges.push(decided);
  }

  /** A replay long after the first answer, through any gateway. */
  async #payAgain(random: Random): Promise<void> {
    const earlier = pick(random, this.#bodies);
    if (!earlier) return;
    await this.#send(earlier.purse, random(earlier.purse.doors.length), earlier.body);
  }

  async #send(purse: Purse, door: number, body: Record<string, unknown>): Promise<Answer> {
    const sentAt = Date.now();
    const answer = await doorOf(purse, door).post('/api/v1/authorize', body);
    const { status, text } = answer;
    const key = (body.idempotency_key as string | undefined) ?? null;
    const { principalId } = purse;
    this.#told.answers.push({ principalId, key, status, text, sentAt, receivedAt: Date.now() });
    if (status === 422 && text.includes('idempotency_key_reuse')) this.#told.refused.key += 1;
    else this.#explain(answer, status === 200);
    return answer;
  }

  async #reverse(random: Random, of: Decided): Promise<void> {
    const { purse } = of;
    const partial = random(5) > 1;
    // Some amounts exceed what is left.
    const amount = amountText(1 + random(Math.ceil(of.amount * 1.1)), purse);
    const named =
      of.key !== null && random(5) === 0
        ? { original_idempotency_key: of.key }
        : { authorization_id: of.id };
    const body = { ...named, ...(partial && { amount }) };
    const first = random(purse.doors.length);
    const send = async (door: number): Promise<void> => {
      const answer = await doorOf(purse, door).post('/api/v1/authorize/reverse', body);
      const exceeds = partial && answer.status === 422;
      if (answer.status === 503) this.#told.amendments.push({ id: of.id, kind: 'UNKNOWN' });
      else if (exceeds) this.#told.refused.reversal += 1;
      else if (this.#explain(answer, answer.status === 200)) {
        const released = String(answer.body.released_amount);
        const { authorization_id: id } = answer.body;
        this.#told.amendments.push({ id, kind: 'REVERSED', released });
      }
    };
    await Promise.all(Array.from({ length: 1 + random(3) }, (_, n) => send(first + n)));
  }

  /** One answer to a challenge, or several at the same time. */
  async #answerChallenge(random: Random): Promise<void> {
    const challenge = pick(random, this.#challenges.slice(-maxRecent));
    if (!challenge) return this.#pay(random);
    const words = pick(random, [['confirm'], ['deny'], ['confirm', 'confirm'], both, both]) ?? [];
    const first = random(2);
    const send = async (word: string, door: number): Promise<void> => {
      const path = `/api/v1/authorize/step-up/${challenge.id}/${word}`;
      const answer = await doorOf(challenge.purse, door).post(path);
      if (answer.status === 503) this.#told.amendments.push({ id: challenge.id, kind: 'UNKNOWN' });
      else if (answer.status === 400) this.#told.refused.stepUp += 1;
      else if (this.#explain(answer, answer.status === 200)) {
        const kind = word === 'confirm' ? 'CONFIRMED' : 'DENIED';
        this.#told.amendments.push({ id: challenge.id, kind });
        if (kind === 'CONFIRMED') this.#approved.push(challenge);
      }
    };
    await Promise.all(words.map((word, n) => send(word, first + n)));
  }

  #explain(answer: Answer, explained: boolean): boolean {
    if (answer.status === 429) this.#told.shed += 1;
    else if (!explained) this.#told.unexplained.push(`${answer.status} ${answer.text}`);
    return explained;
  }
}

const both = ['confirm', 'deny'];
/** The most recent challenges are the most likely to be unanswered. */
const maxRecent = 30;

function amountText(amount: number, { exponent }: Pick<Purse, 'exponent'>): string {
  const digits = String(amount).padStart(exponent + 1, '0');
  if (exponent === 0) return digits;
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

import { type Random, randomFrom } from '@countersign/runtime/testing';
import type { CommitOrder } from './commit-order.js';
import { insist } from './retries.js';
import { type Gateways, newSite, type Site } from './site.js';
import type { Withdrawal } from './withdrawal.js';
import { type Played, playRound, type Round, type Shot } from './withdrawal-round.js';

/** Sites race concurrently, so that payments of several share the ledger's batches. */
const siteCount = 10;

export interface Rounds {
  on: Gateways;
  order: CommitOrder;
  withdrawals: readonly Withdrawal[];
  count: number;
  seed: number;
  plan: (random: Random, withdrawal: Withdrawal) => Round;
}

/** Plays the rounds, with all withdrawals equally often. */
export async function playRounds({ on, order, ...rounds }: Rounds): Promise<Played[]> {
  const { withdrawals, count, seed, plan } = rounds;
  const played: Played[] = [];
  let next = 0;
  const playAt = async (site: Site, index: number): Promise<void> => {
    const random = randomFrom(seed + index);
    for (let number = next++; number < count; number = next++) {
      const withdrawal = withdrawals[number % withdrawals.length];
      if (!withdrawal) throw new Error('there is nothing to take away');
      const setting = { site, order, random, reference: `round-${number}` };
      played.push(await playRound(withdrawal, plan(random, withdrawal), setting));
    }
  };
  const sites: Site[] = [];
  while (sites.length < siteCount) sites.push(await insist('a site', () => newSite(on)));
  await Promise.all(sites.map(playAt));
  return played;
}

/**
 * Requests sent after a withdrawal was answered that were not refused because of it, one sentence
 * each. A busy machine may refuse for lack of capacity.
 */
export function mistakesOf({ withdrawal, payments, confirmations }: Played): string[] {
  const late = payments.filter(({ after }) => after);
  const wrong = late.filter(({ answer }) => !isRefusal(answer, withdrawal));
  const confirmed = confirmations.filter(({ after, answer }) => after && answer.status === 200);
  return [
    ...wrong.map(({ answer }) => `${withdrawal.name}: ${answer.status} ${summary(answer)}`),
    ...confirmed.map(({ answer }) => `${withdrawal.name}: confirmed ${answer.text}`),
  ];
}

function isRefusal({ status, body }: Shot['answer'], { refusal }: Withdrawal): boolean {
  if (status === refusal || status === 429) return true;
  if (status !== 200 || body.decision === 'APPROVE') return false;
  // The sixth concurrent challenge is declined instead, which also shows that a human was required.
  const asks = body.reason_codes.includes('VELOCITY_BURST') ? 'AMOUNT_STEP_UP' : '';
  const told = [...body.reason_codes, asks];
  return told.includes(refusal) || told.includes('SYSTEM_FAIL_SAFE');
}

function summary({ body }: Shot['answer']): string {
  return `${body?.decision} ${body?.reason_codes} ${body?.authorization_id}`;
}

export function countShots(
  played: readonly Played[],
  matches: (shot: Shot) => boolean,
  of: 'payments' | 'confirmations' = 'payments',
): number {
  return played.reduce((sum, round) => sum + round[of].filter(matches).length, 0);
}

export function isApproval({ answer }: Shot): boolean {
  return answer.status === 200 && answer.body.decision === 'APPROVE';
}

import { test } from 'tap';
import { nextTrustLevel, promotionTo, type TrustStanding } from './trust.js';

const thresholds = {
  verified_min_successful_txns: 50,
  verified_min_account_age_hours: 168,
  verified_max_decline_rate: 0.05,
  verified_min_dispute_deflection_rate: 0.8,
  trusted_min_successful_txns: 500,
  trusted_min_account_age_hours: 720,
  trusted_max_decline_rate: 0.02,
  trusted_min_dispute_deflection_rate: 0.9,
  cts_green_threshold: 0.7,
  cts_amber_threshold: 0.4,
};
const hourMs = 3_600_000;
const created = Date.parse('2026-11-21T12:00:00.000Z');
const standing: TrustStanding = {
  successfulTransactions: 500,
  createdAt: created,
  now: created + 720 * hourMs,
  declineRate: 0.0199,
  disputeDeflectionRate: 0.9001,
  kyaScore: 0.7,
};

test('levels are climbed one at a time', (t) => {
  t.equal(nextTrustLevel('REGISTERED'), 'VERIFIED');
  t.equal(nextTrustLevel('VERIFIED'), 'TRUSTED');
  t.equal(nextTrustLevel('TRUSTED'), null);
  t.end();
});

test('counts and ages suffice when reached, rates must be beyond their bound', (t) => {
  t.ok(promotionTo('TRUSTED', standing, thresholds).eligible);
  const short: Array<[patch: Partial<TrustStanding>, criterion: string | null]> = [
    [{ successfulTransactions: 499 }, 'successfulTransactions'],
    [{ now: created + 720 * hourMs - 1 }, 'accountAgeHours'],
    [{ declineRate: 10 / 500 }, 'declineRate'],
    [{ disputeDeflectionRate: 9 / 10 }, 'disputeDeflectionRate'],
    [{ kyaScore: 0.6999 }, null],
    [{ kyaScore: undefined }, null],
  ];
  for (const [patch, unmet] of short) {
    const { eligible, criteria } = promotionTo('TRUSTED', { ...standing, ...patch }, thresholds);
    const missed = Object.entries(criteria).filter(([, { met }]) => !met);
    t.notOk(eligible, JSON.stringify(patch));
    t.same(
      missed.map(([name]) => name),
      unmet === null ? [] : [unmet],
    );
  }
  t.end();
});

test('VERIFIED asks for what is its own, and is open to AMBER', (t) => {
  const amber = {
    ...standing,
    successfulTransactions: 50,
    now: created + 168 * hourMs,
    kyaScore: 0.4,
  };
  t.ok(promotionTo('VERIFIED', { ...amber, declineRate: 0.04 }, thresholds).eligible);
  t.notOk(promotionTo('VERIFIED', { ...amber, kyaScore: 0.3999 }, thresholds).eligible);
  t.end();
});

test('a perfect rate meets the strictest bound', (t) => {
  const strictest = {
    ...thresholds,
    trusted_max_decline_rate: 0,
    trusted_min_dispute_deflection_rate: 1,
  };
  const perfect = { ...standing, declineRate: 0, disputeDeflectionRate: 1 };
  t.ok(promotionTo('TRUSTED', perfect, strictest).eligible);
  t.notOk(promotionTo('TRUSTED', standing, strictest).eligible);
  t.end();
});

test('without bounds nothing is earned', (t) => {
  t.notOk(promotionTo('TRUSTED', standing, {}).eligible);
  t.notOk(promotionTo('VERIFIED', { ...standing, declineRate: 0 }, {}).eligible);
  t.end();
});

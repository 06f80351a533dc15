import assert from 'node:assert/strict';
import { currencyExponent, maxAssetDecimals } from '@countersign/kernel/currency';
import { amountProblem, Decimal } from '@countersign/kernel/money';
import fc from 'fast-check';
import { test } from 'tap';
import { evaluate } from '../evaluate.js';
import { factsOf } from '../test/facts.js';

/** In units of 10^-decimals; some agents are in zone RED, where `multiplier` applies. */
const anyLimit = {
  units: fc.integer({ min: 1, max: 20_000 }),
  multiplier: fc.double({ min: 0, max: 1, noNaN: true }),
  isRed: fc.boolean(),
};
const currency = fc.constantFrom('JPY', 'USD', 'KWD', 'CLF');

interface Limited {
  multiplier: number;
  isRed: boolean;
}

function amountDetail(asked: Decimal, limited: Limited & { currency: string; limit: Decimal }) {
  const { currency, limit } = limited;
  const payment = { amount: asked.toFixed(), currency };
  const mandate = { currency, maxAmountPerTransaction: limit.toFixed() };
  return detailOf(limited, { payment, mandate, what: 'transaction' });
}

function transferDetail(asked: Decimal, limited: Limited & { limit: Decimal }) {
  const crypto = { chain: 'base', asset: 'ETH', counterparty: '0xab', value: asked.toFixed() };
  return detailOf(limited, {
    payment: { rail: 'CRYPTO', crypto },
    mandate: { crypto: { chains: [], assets: [], maxTransfer: limited.limit.toFixed() } },
    what: 'transfer',
  });
}

/** What is said of the amount or of the transfer; null where it is within its limit. */
function detailOf(
  { multiplier, isRed }: Limited,
  { payment, mandate, what }: { payment: object; mandate: object; what: string },
): string | null {
  const { findings } = evaluate(
    factsOf({
      facts: { payment },
      mandates: [mandate],
      thresholds: { cognitiveMultiplierRed: multiplier, cognitiveMultiplierCritical: 0 },
      ...(isRed && { past: { decayed: { complianceBad: 8 } } }),
    }),
  );
  const found = findings.find(({ code }) => code === 'AMOUNT_EXCEEDS_PER_TXN');
  return found?.detail.split('; ').find((clause) => clause.includes(` ${what}`)) ?? null;
}

/** Whatever is named would be accepted, would pass, and is the most that does. */
function proved(decimals: number, detailFor: (asked: Decimal) => string | null): void {
  const smallest = new Decimal(10).pow(-decimals);
  const detail = detailFor(new Decimal(99_999));
  assert.ok(detail);
  const [, named] = /limit of (\S+) \S+ for one \w+, send no more than that$/.exec(detail) ?? [];
  if (named === undefined) {
    assert.match(detail, /^no \w+ passes/);
    assert.ok(detailFor(smallest));
    return;
  }
  assert.equal(amountProblem(named, decimals), null);
  assert.equal(detailFor(new Decimal(named)), null);
  assert.ok(detailFor(smallest.add(named)));
}

test('in every currency, the amount that is named is the most that would pass', (t) => {
  fc.assert(
    fc.property(fc.record({ ...anyLimit, currency }), ({ units, ...limited }) => {
      const decimals = currencyExponent(limited.currency) ?? Number.NaN;
      const limit = new Decimal(units).mul(new Decimal(10).pow(-decimals));
      proved(decimals, (asked) => amountDetail(asked, { ...limited, limit }));
    }),
  );
  t.end();
});

test('of a transfer, too, as finely as an asset can be divided', (t) => {
  fc.assert(
    fc.property(fc.record(anyLimit), ({ units, ...limited }) => {
      const limit = new Decimal(units).mul(new Decimal(10).pow(-maxAssetDecimals));
      proved(maxAssetDecimals, (asked) => transferDetail(asked, { ...limited, limit }));
    }),
  );
  t.end();
});

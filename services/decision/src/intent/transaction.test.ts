import type { ChainTerms } from '@countersign/runtime/testing/chain-terms';
import { newChainKeys } from '@countersign/runtime/testing/chain-terms';
import { autonomousChain, immediateChain } from '@countersign/runtime/testing/intent-chain';
import { test } from 'tap';
import { type Asked, verified } from '../test/intent-request.js';
import { minorUnits } from './minor-units.js';

const now = Date.UTC(2026, 10, 23, 12);
const keys = newChainKeys();
const to = '0x52908400098527886E0F7030069857D2E4169EE7';
const from = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const usdc = 'eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const transfer = { chain: 'base', asset: 'USDC', counterparty: to, fromAddress: from };

type Row = [subject: Asked['subject'], holds: boolean, given?: Partial<ChainTerms>];

function holdsIn(rows: Row[], defaults: Partial<ChainTerms> = {}) {
  for (const make of [immediateChain, autonomousChain]) {
    for (const [subject, holds, given] of rows) {
      const what = `${make.name} ${JSON.stringify(subject)} ${JSON.stringify(given ?? {})}`;
      test(`${what}: ${holds ? 'equal' : 'another transaction'}`, (t) => {
        const payees = { shown: [], withheld: [] };
        const verdict = verified(make({ now, keys, payees, ...defaults, ...given }), { subject });
        t.same(verdict.codes, holds ? [] : ['VI_TRANSACTION_MISMATCH']);
        t.end();
      });
    }
  }
}

const payee = { name: 'Corner shop', website: 'https://corner.example' };

holdsIn([
  [{}, true],
  [{ amount: '10' }, true],
  [{ amount: '10.000' }, true],
  [{ amount: '9.99' }, false],
  [{ amount: '10.01' }, false],
  [{ amount: '10.001' }, false],
  [{ currency: 'EUR' }, false],
  [{ merchantId: 'm-2' }, false],
  [{ merchantId: null }, false],
  [{ merchantName: 'Another name' }, true],
  [{ merchantId: 'caf\u00e9' }, true, { payee: { ...payee, id: 'cafe\u0301' } }],
  [{ merchantId: null }, true, { payee }],
  [{ merchantName: 'corner shop' }, false, { payee }],
  [{ merchantName: null }, false, { payee }],
  [{}, false, { instrument: { type: 'x402', id: 'x', payee_address: to } }],
  [{}, false, { instrument: { type: 'crypto', id: 'x' } }],
  [{ crypto: transfer }, false],
]);

test('a payee whose id cannot be read is not found by its name instead', (t) => {
  for (const id of [1001, '', {}, 'm'.repeat(256)]) {
    for (const make of [immediateChain, autonomousChain]) {
      const built = make({ now, keys, payee: { ...payee, id } });
      t.same(verified(built).codes, ['VI_CHAIN_MALFORMED'], `${make.name} ${JSON.stringify(id)}`);
    }
  }
  t.end();
});

const wallet: Asked['subject'] = { merchantId: null, crypto: transfer };
const x402 = { type: 'x402', id: 'x402-base-usdc', payee_address: to.toLowerCase() };

const bought = { ...wallet, merchantId: 'm-1001' };

holdsIn(
  [
    [bought, true],
    [{ ...bought, merchantId: 'm-2' }, false],
    [wallet, false],
    [wallet, true, { payee }],
    [{ ...wallet, merchantName: 'Another name' }, false, { payee }],
    [{ ...bought, crypto: { ...transfer, counterparty: from } }, false],
    [bought, false, { instrument: { ...x402, payee_address: undefined } }],
  ],
  { instrument: x402 },
);

const profile = { type: 'crypto', id: `eip155:8453:${from}`, asset: usdc };

holdsIn(
  [
    [wallet, true],
    [{ ...wallet, crypto: { ...transfer, fromAddress: null } }, false],
    [{ ...wallet, crypto: { ...transfer, fromAddress: to } }, false],
    [{ ...wallet, crypto: { ...transfer, counterparty: from } }, false],
    [{ ...wallet, crypto: { ...transfer, chain: 'polygon' } }, false],
    [{ ...wallet, crypto: { ...transfer, chain: 'unheard-of' } }, false],
    [{ ...wallet, crypto: { ...transfer, asset: 'EURC' } }, false],
    [{ ...wallet, crypto: { ...transfer, asset: 'usdc' } }, true],
    [wallet, true, { instrument: { ...profile, asset: 'USDC' } }],
    [wallet, true, { instrument: { ...profile, asset: 'usdc' } }],
    [wallet, false, { instrument: { ...profile, asset: undefined } }],
    [wallet, false, { instrument: { ...profile, asset: usdc.replace('8453', '1') } }],
    [wallet, false, { instrument: { ...profile, asset: usdc.replace('8453', '8454') } }],
    [wallet, false, { instrument: { ...profile, asset: usdc.replace('0x8', '0x9') } }],
    [wallet, true, { instrument: { ...profile, payee_address: to } }],
    [wallet, false, { instrument: { ...profile, payee_address: from } }],
    [wallet, false, { payee: { id: to } }],
    [wallet, false, { payee: { id: `eip155:1:${to}` } }],
    [wallet, false, { payee: { id: `eip155:8454:${to}` } }],
    [wallet, false, { payee: { name: 'Corner shop' } }],
    [{ ...wallet, crypto: { ...transfer, chain: 'base-sepolia' } }, false],
  ],
  { instrument: profile, payee: { id: `eip155:8453:${to}` } },
);

test("an agent cannot change the receiver that the user's instrument states", (t) => {
  const finalPayment = { payment_instrument: { ...x402, payee_address: from } };
  const built = autonomousChain({
    ...{ now, keys, instrument: x402, payees: { shown: [], withheld: [] } },
    edits: { finalPayment },
  });
  const subject = { ...bought, crypto: { ...transfer, counterparty: from } };
  t.same(verified(built, { subject }).codes, ['VI_BINDING_INVALID']);
  t.end();
});

test("an agent cannot change the asset that the user's instrument states", (t) => {
  const payee = { id: `eip155:8453:${to}` };
  const codes = (asset: string) => {
    const finalPayment = { payment_instrument: { ...profile, asset } };
    const given = { now, keys, instrument: profile, payee, edits: { finalPayment } };
    const built = autonomousChain({ ...given, payees: { shown: [], withheld: [] } });
    return verified(built, { subject: { ...wallet, crypto: { ...transfer, asset } } }).codes;
  };
  t.same(codes('USDT'), ['VI_BINDING_INVALID']);
  t.end();
});

test("an agent may spell the user's instrument otherwise, as it may the transfer", (t) => {
  const codes = (instrument: object, signed: object = {}) => {
    const stated = { ...profile, payee_address: to, ...signed };
    const finalPayment = { payment_instrument: { ...stated, ...instrument } };
    const built = autonomousChain({
      ...{ now, keys, instrument: stated, payee: { id: `eip155:8453:${to}` } },
      ...{ edits: { finalPayment }, payees: { shown: [], withheld: [] } },
    });
    return verified(built, { subject: wallet }).codes;
  };
  const binding = 'VI_BINDING_INVALID';
  t.same(codes({ payee_address: to.toLowerCase() }), []);
  t.same(codes({ asset: usdc.toLowerCase() }), []);
  t.same(codes({ id: profile.id.toLowerCase() }), []);
  t.same(codes({ asset: 'usdc' }, { asset: 'USDC' }), []);
  t.match(codes({ asset: usdc.replace('0x8', '0x9') }), [binding]);
  t.match(codes({ id: profile.id.replace('8453', '1') }), [binding]);
  t.match(codes({ payee_address: undefined }), [binding]);
  const x402As = (id: string) => codes({ id }, { ...x402, id: profile.id });
  t.match(x402As(profile.id.toLowerCase()), [binding], 'which is no account in every type');
  t.end();
});

test('amounts are compared exactly, in the minor units of ISO 4217', (t) => {
  const table: [string, string, number | null][] = [
    ['279.99', 'USD', 27_999],
    ['1000', 'JPY', 1_000],
    ['1000.0', 'JPY', 1_000],
    ['1000.5', 'JPY', null],
    ['1.234', 'KWD', 1_234],
    ['0.0001', 'CLF', 1],
    ['10', 'XXX', null],
    ['-1', 'USD', null],
    ['1e3', 'USD', null],
    ['99999999999999.99', 'USD', null],
    ['90071992547409.91', 'USD', Number.MAX_SAFE_INTEGER],
  ];
  for (const [amount, currency, minor] of table) {
    t.equal(minorUnits(amount, currency), minor, `${amount} ${currency}`);
  }
  t.end();
});

test('amount and currency may be at the top level of the mandate, as in the specification', (t) => {
  const paymentMandate = { payment_amount: undefined, amount: 1_000, currency: 'USD' };
  const edits = { paymentMandate: { ...paymentMandate, vct: 'mandate.payment' } };
  t.same(verified(immediateChain({ now, keys, edits })).codes, []);
  t.end();
});

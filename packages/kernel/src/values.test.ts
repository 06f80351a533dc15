import fc from 'fast-check';
import { test } from 'tap';
import { canonicalHash, canonicalJson } from './canonical.js';
import { isKeptTime, isoTime } from './clock.js';
import { assetCurrency, currencyExponent, isCurrency } from './currency.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { didPattern } from './did.js';
import { encodeBase32, type IdKind, idPrefixes, isId, newId } from './id.js';
import { amountProblem, Decimal, formatAmount, plainAmount } from './money.js';
import { inReasonOrder, reasonByCode, reasons } from './reason.js';
import {
  checksum,
  hasValidChecksum,
  newChecksummedSecret,
  randomBase62,
  randomDigits,
} from './secret.js';
import { limitWindow } from './window.js';

test('an id has its prefix, 26 characters, and sorts by time of creation', (t) => {
  for (const kind of Object.keys(idPrefixes) as IdKind[]) {
    const id = newId(kind);
    t.ok(isId(kind, id), id);
    t.equal(id.length, idPrefixes[kind].length + 27);
  }
  const ids = Array.from({ length: 2_000 }, () => newId('authorization'));
  t.same(ids, [...ids].sort(), 'ids made one after the other are in order');
  t.equal(new Set(ids).size, ids.length);
  t.end();
});

test('ids of one moment differ in what nobody can guess', (t) => {
  // Their last six characters are random alone; more ids than one filling of the source lasts for.
  const tails = Array.from({ length: 3_000 }, () => newId('authorization').slice(-6));
  // Of 2^30 values; more than five repeats among so few would be no chance.
  t.ok(new Set(tails).size >= tails.length - 5);
  t.end();
});

test('a time is kept in the years that four digits tell, in UTC', (t) => {
  const first = Date.parse('0001-01-01T00:00:00.000Z');
  const last = Date.parse('9999-12-31T23:59:59.999Z');
  for (const at of [first, 0, last]) t.equal(isKeptTime(at), true, isoTime(at));
  for (const at of [first - 1, last + 1, Number.NaN]) t.equal(isKeptTime(at), false, String(at));
  t.end();
});

test('an empty segment of a DID may be anywhere but at its end', (t) => {
  const method = (did: string) => didPattern.exec(did)?.[1] ?? null;
  for (const did of ['did:ex:a', 'did:ex::a', 'did:ex:a::b', 'did:ex:::a', 'did:ex:a%20b:c']) {
    t.equal(method(did), 'ex', did);
  }
  for (const did of ['did:ex:', 'did:ex::', 'did:ex:a:', 'did:Ex:a', 'did:ex:a/b', 'did:ex:%2']) {
    t.equal(method(did), null, did);
  }
  t.end();
});

test('the base32 suffix is the TypeID encoding', (t) => {
  // Values of the TypeID specification's valid.yml: nil, one, and the highest.
  t.equal(encodeBase32(new Uint8Array(16)), '00000000000000000000000000');
  t.equal(
    encodeBase32(Uint8Array.from([...new Array(15).fill(0), 1])),
    '00000000000000000000000001',
  );
  t.equal(encodeBase32(new Uint8Array(16).fill(255)), '7zzzzzzzzzzzzzzzzzzzzzzzzz');
  t.equal(
    encodeBase32(Buffer.from('01890a5dac967744b1be2c2f6c1f5fcd', 'hex')).slice(0, 10),
    '01h455vb4p',
  );
  t.end();
});

test('an id of another kind, case or alphabet is refused', (t) => {
  const id = newId('agent');
  t.notOk(isId('mandate', id));
  t.notOk(isId('agent', id.toUpperCase()));
  t.notOk(isId('agent', `${id}0`));
  t.notOk(isId('agent', id.slice(0, -1)));
  t.notOk(isId('agent', `agt_${'u'.repeat(26)}`), 'u is not in the alphabet');
  t.notOk(isId('agent', `agt_8${'0'.repeat(25)}`), 'more than 128 bits');
  t.end();
});

function problemByArithmetic(text: string, decimals: number) {
  if (!/^(0|[1-9]\d*)(\.\d+)?$/.test(text)) return 'not_decimal';
  const value = new Decimal(text);
  if (value.lte(0)) return 'not_positive';
  if (value.gte('1e15')) return 'too_large';
  return value.decimalPlaces() > decimals ? 'too_many_decimals' : null;
}

test('sums of the largest amounts and the smallest units are exact', (t) => {
  const largest = new Decimal('999999999999999.999999999999999999');
  const unit = '0.000000000000000001';
  t.equal(largest.plus(unit).toFixed(), '1000000000000000');
  t.equal(largest.minus(unit).toFixed(), '999999999999999.999999999999999998');
  t.equal(largest.times('1e18').toFixed(), '999999999999999999999999999999999');
  t.end();
});

test('what is finer than a currency is rounded half to even', (t) => {
  for (const [amount, currency, text] of [
    ['0.125', 'USD', '0.12'],
    ['0.1251', 'USD', '0.13'],
    ['0.135', 'USD', '0.14'],
    ['0.139', 'USD', '0.14'],
    ['0.5', 'JPY', '0'],
    ['1.5', 'JPY', '2'],
  ] as const) {
    t.equal(formatAmount(amount, currency), text, amount);
  }
  t.end();
});

test('an amount is judged and spelled by its digits as by arithmetic', (t) => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 22 });
  const amount = fc.oneof(
    digits,
    fc.tuple(digits, digits).map(([whole, fraction]) => `${whole}.${fraction}`),
    fc.constantFrom(
      '0',
      '0.0',
      '1.',
      '.1',
      '01.5',
      '10.500',
      '999999999999999.9',
      '1000000000000000',
    ),
  );
  fc.assert(
    fc.property(amount, fc.nat({ max: 18 }), (text, decimals) => {
      const problem = problemByArithmetic(text, decimals);
      if (amountProblem(text, decimals) !== problem) throw new Error(`${text} ${problem}`);
      if (problem === 'not_decimal') return;
      if (plainAmount(text) !== new Decimal(text).toFixed()) throw new Error(plainAmount(text));
    }),
    { numRuns: 3_000 },
  );
  t.end();
});

test('an amount is refused for exactly the reason that holds', (t) => {
  const table: Array<[string, number, ReturnType<typeof amountProblem>]> = [
    ['10', 2, null],
    ['0.01', 2, null],
    ['999999999999999.99', 2, null],
    ['10.50', 1, null],
    ['1e3', 2, 'not_decimal'],
    ['-1', 2, 'not_decimal'],
    ['+1', 2, 'not_decimal'],
    ['01', 2, 'not_decimal'],
    ['1.', 2, 'not_decimal'],
    ['.5', 2, 'not_decimal'],
    ['', 2, 'not_decimal'],
    ['1,5', 2, 'not_decimal'],
    ['NaN', 2, 'not_decimal'],
    [' 1', 2, 'not_decimal'],
    ['0', 2, 'not_positive'],
    ['0.00', 2, 'not_positive'],
    ['1000000000000000', 2, 'too_large'],
    ['10.001', 2, 'too_many_decimals'],
    ['1.5', 0, 'too_many_decimals'],
    [`1.${'0'.repeat(70)}`, 2, 'not_decimal'],
  ];
  for (const [text, decimals, expected] of table)
    t.equal(amountProblem(text, decimals), expected, text);
  t.end();
});

test('sums of amounts are exact where doubles are not', (t) => {
  t.equal(new Decimal('0.1').plus('0.2').toFixed(), '0.3');
  const cents = fc.bigInt({ min: 1n, max: 10n ** 17n });
  fc.assert(
    fc.property(fc.array(cents, { maxLength: 50 }), (amounts) => {
      const sum = amounts.reduce((total, cent) => total.plus(asMajor(cent)), new Decimal(0));
      return formatAmount(sum, 'USD') === asMajor(amounts.reduce((a, b) => a + b, 0n));
    }),
  );
  t.end();
});

test('an amount that only needs its zeros is written as arithmetic would write it', (t) => {
  const texts = fc
    .tuple(
      fc.bigInt({ min: 0n, max: 10n ** 16n }),
      fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 6 }),
    )
    .map(([whole, fraction]) => (fraction === '' ? `${whole}` : `${whole}.${fraction}`));
  fc.assert(
    fc.property(texts, fc.constantFrom('USD', 'JPY', 'KWD'), (text, currency) => {
      return formatAmount(text, currency) === formatAmount(new Decimal(text), currency);
    }),
  );
  t.end();
});

function asMajor(cents: bigint): string {
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

test('amounts are written with the exponent of their currency, never with an E', (t) => {
  t.equal(formatAmount('10', 'USD'), '10.00');
  t.equal(formatAmount('10', 'JPY'), '10');
  t.equal(formatAmount('1.5', 'KWD'), '1.500');
  t.equal(formatAmount('1e+3', 'USD'), '1000.00');
  t.equal(plainAmount('0.000000000000000001'), '0.000000000000000001');
  t.equal(plainAmount('100000000000000000000000'), '100000000000000000000000');
  t.end();
});

test('the currency table follows ISO 4217 where Intl does not', (t) => {
  const table = { USD: 2, JPY: 0, KWD: 3, IQD: 3, HUF: 2, COP: 2, IDR: 2, PKR: 2, CLF: 4 };
  for (const [code, exponent] of Object.entries(table))
    t.equal(currencyExponent(code), exponent, code);
  for (const code of ['usd', 'XXX', 'XAU', 'BTC', 'USDC', '']) t.notOk(isCurrency(code), code);
  for (const symbol of ['USDC', 'usdc']) t.equal(assetCurrency(symbol), 'USD', symbol);
  for (const symbol of ['WETH', 'USD', 'EURC', '']) t.equal(assetCurrency(symbol), null, symbol);
  t.end();
});

test('semantically equal values have one hash, different values another', (t) => {
  t.equal(canonicalJson({ b: 1, a: [true, null], c: undefined }), '{"a":[true,null],"b":1}');
  t.equal(canonicalHash({ a: 1, b: '2' }), canonicalHash({ b: '2', a: 1 }));
  t.not(canonicalHash({ a: 1 }), canonicalHash({ a: '1' }));
  t.end();
});

test('a cursor opens only for the list and the key that made it, and only unchanged', (t) => {
  const key = Buffer.alloc(32, 1);
  const position = { createdAt: '2026-01-02T03:04:05.678Z', id: newId('webhook') };
  const cursor = encodeCursor(key, 'webhooks:prn_1', position);
  t.same(decodeCursor(key, 'webhooks:prn_1', cursor), position);
  t.equal(decodeCursor(key, 'webhooks:prn_2', cursor), null);
  t.equal(decodeCursor(Buffer.alloc(32, 2), 'webhooks:prn_1', cursor), null);
  for (const bad of ['', 'x', `${cursor}A`, cursor.slice(1), '!!!', 'A'.repeat(600)]) {
    t.equal(decodeCursor(key, 'webhooks:prn_1', bad), null, bad.slice(0, 20));
  }
  for (let i = 0; i < cursor.length; i += 1) {
    const changed = `${cursor.slice(0, i)}${cursor[i] === 'A' ? 'B' : 'A'}${cursor.slice(i + 1)}`;
    t.equal(decodeCursor(key, 'webhooks:prn_1', changed), null, `character ${i}`);
  }
  t.end();
});

test('a checksummed secret catches every single mistyped character', (t) => {
  const secret = newChecksummedSecret('svc_test_');
  t.match(secret, /^svc_test_[0-9A-Za-z]{49}$/);
  t.ok(hasValidChecksum(secret));
  for (let i = 0; i < secret.length; i += 1) {
    const typo = `${secret.slice(0, i)}${secret[i] === 'a' ? 'b' : 'a'}${secret.slice(i + 1)}`;
    t.notOk(hasValidChecksum(typo), `character ${i}`);
  }
  t.notOk(hasValidChecksum(''));
  // CRC-32 of "123456789" is 0xCBF43926 = 3421780262, in base62 3JZOIY, six digits.
  t.equal(checksum('123456789').length, 6);
  t.equal(fromBase62(checksum('123456789')), 0xcbf43926);
  t.end();
});

function fromBase62(text: string): number {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  return [...text].reduce((value, digit) => value * 62 + digits.indexOf(digit), 0);
}

test('random characters use the whole alphabet evenly', (t) => {
  const counts = new Map<string, number>();
  for (const char of randomBase62(62_000)) counts.set(char, (counts.get(char) ?? 0) + 1);
  t.equal(counts.size, 62);
  // 1,000 expected each; six standard deviations are below 200.
  for (const [char, count] of counts) t.ok(Math.abs(count - 1_000) < 200, `${char}: ${count}`);
  t.end();
});

test('a one-time code may be any of its digits, the leading ones too', (t) => {
  const codes = Array.from({ length: 2_000 }, () => randomDigits(6));
  for (const code of codes) if (!/^\d{6}$/.test(code)) t.fail(code);
  for (let place = 0; place < 6; place += 1) {
    t.equal(new Set(codes.map((code) => code[place])).size, 10, `place ${place}`);
  }
  t.end();
});

test('reason codes come in the published order, each once', (t) => {
  t.equal(new Set(reasons.map((reason) => reason.code)).size, reasons.length);
  t.same(
    inReasonOrder([
      'SYSTEM_FAIL_SAFE',
      'DAILY_AMOUNT_EXCEEDED',
      'AGENT_SUSPENDED',
      'MCC_BLOCKED',
      'MCC_BLOCKED',
    ]),
    ['AGENT_SUSPENDED', 'MCC_BLOCKED', 'DAILY_AMOUNT_EXCEEDED', 'SYSTEM_FAIL_SAFE'],
  );
  t.equal(reasonByCode('DAILY_AMOUNT_EXCEEDED')?.retry, 'after_window');
  t.equal(reasonByCode('NOPE'), undefined);
  t.end();
});

test('windows are UTC calendar days and months', (t) => {
  t.same(limitWindow(Date.parse('2026-02-28T23:59:59.999Z')), {
    day: '2026-02-28',
    month: '2026-02',
  });
  t.same(limitWindow(Date.parse('2026-03-01T00:00:00.000Z')), {
    day: '2026-03-01',
    month: '2026-03',
  });
  t.same(limitWindow(Date.parse('2026-12-31T23:00:00-05:00')), {
    day: '2027-01-01',
    month: '2027-01',
  });
  t.end();
});

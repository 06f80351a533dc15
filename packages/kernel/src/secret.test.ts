import { test } from 'tap';
import {
  checksum,
  hasValidChecksum,
  newChecksummedSecret,
  randomBase62,
  randomDigits,
} from './secret.js';

test('a checksummed secret catches every single mistyped character', (t) => {
  const secret = newChecksummedSecret('svc_test_');
  t.match(secret, /^svc_test_[0-9A-Za-z]{49}$/);
  t.ok(hasValidChecksum(secret));
  for (let i = 0; i < secret.length; i += 1) {
    const typo = `${secret.slice(0, i)}${secret[i] === 'a' ? 'b' : 'a'}${secret.slice(i + 1)}`;
    t.notOk(hasValidChecksum(typo), `character ${i}`);
  }
  t.notOk(hasValidChecksum(''));
  t.notOk(hasValidChecksum(checksum('')), 'a checksum of nothing');
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

import { test } from 'tap';
import { CodeHasher } from './code-hasher.js';

const [current, former] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const place = { environment: 'live', authorizationId: 'auth_1' } as const;

test('a code is valid for its own challenge alone', async (t) => {
  const hasher = new CodeHasher([current]);
  const hash = hasher.hash('123456', place);
  t.equal(hasher.matches('123456', place, hash), true);
  t.equal(hasher.matches('123457', place, hash), false);
  t.equal(hasher.matches('123456', { ...place, authorizationId: 'auth_2' }, hash), false);
  t.equal(hasher.matches('123456', { ...place, environment: 'sandbox' }, hash), false);
  t.equal(hasher.matches('123456', place, hash.subarray(0, 16)), false);
});

test('a code that was sent before the secret was replaced stays valid', async (t) => {
  const hash = new CodeHasher([former]).hash('123456', place);
  t.equal(new CodeHasher([current, former]).matches('123456', place, hash), true);
  t.equal(new CodeHasher([current]).matches('123456', place, hash), false);
  const renewed = new CodeHasher([current, former]).hash('123456', place);
  t.equal(new CodeHasher([former]).matches('123456', place, renewed), false, 'the new one is used');
});

test('the hash of an address tells nothing without the secret', async (t) => {
  const hashed = new CodeHasher([current]).addressee('ada@example.com');
  t.same(new CodeHasher([current, former]).addressee('ada@example.com'), hashed);
  t.notSame(new CodeHasher([former]).addressee('ada@example.com'), hashed);
});

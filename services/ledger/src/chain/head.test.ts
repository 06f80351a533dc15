import { Cipher } from '@countersign/kernel/cipher';
import type { PoolClient } from '@countersign/runtime/database';
import { test } from 'tap';
import { type Head, headProblem, newChainKey, signHead } from './head.js';
import { signEnd } from './sign.js';
import { addHeadSql } from './sql.js';

const cipher = new Cipher([Buffer.alloc(32, 7)]);
const own = newChainKey(cipher);
const now = Date.UTC(2026, 10, 21);

/** The head of an entry that names the own key, signed with a key and shown with that. */
function headBy(key: typeof own): Head {
  const signedAt = new Date(now);
  const named = { seq: '1', entryHash: 'hash', kid: own.kid };
  const statement = { ...named, environment: 'live', signedAt: signedAt.toISOString() };
  const signature = signHead(statement, key, cipher);
  return { ...named, signedAt, signature, publicJwk: key.publicJwk };
}

test('a key that was put in the place of another verifies nothing', async (t) => {
  t.equal(headProblem(headBy(own), 'hash', 'live'), null);
  const forged = headProblem(headBy(newChainKey(cipher)), 'hash', 'live');
  t.equal(forged, 'its signature is invalid');
});

test('a head that was signed at no time verifies nothing', async (t) => {
  const timeless = { ...headBy(own), signedAt: new Date(Number.NaN) };
  t.equal(headProblem(timeless, 'hash', 'live'), 'its signature is invalid');
});

test('a head from the future does not suppress the next one', async (t) => {
  const signedAfter = async (ms: number): Promise<number> => {
    let signed = 0;
    const query = async (sql: string) => {
      if (sql === addHeadSql) signed += 1;
      return { rows: [] };
    };
    const newest = { ...headBy(own), signedAt: new Date(now - ms) };
    const parts = { environment: 'live', cipher, clock: () => now, headEveryMs: 60_000 } as const;
    const end = { seq: '2', hash: 'next' };
    await signEnd({ query } as unknown as PoolClient, parts, { newest, end });
    return signed;
  };
  t.equal(await signedAfter(59_000), 0, 'none is due');
  t.equal(await signedAfter(60_000), 1);
  t.equal(await signedAfter(-24 * 3_600_000), 1);
});

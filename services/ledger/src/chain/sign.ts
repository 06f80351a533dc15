import type { Cipher } from '@countersign/kernel/cipher';
import { type Clock, isoTime } from '@countersign/kernel/clock';
import type { Environment } from '@countersign/kernel/environment';
import type { PoolClient } from '@countersign/runtime/database';
import { type Head, newChainKey, type SealedKey, signHead } from './head.js';
import type { SignedHead } from './memory.js';
import { addHeadSql, addKeySql, newestKeySql } from './sql.js';

export interface SigningParts {
  environment: Environment;
  cipher: Cipher;
  clock: Clock;
  /** Minimum time between two heads. */
  headEveryMs: number;
}

export interface ChainEnd {
  seq: string;
  hash: string;
}

interface Ends {
  newest: Head | null;
  end: ChainEnd | null;
}

/** Signs the end of the chain if a head is due. Returns the newest head. */
export async function signEnd(
  client: PoolClient,
  { environment, cipher, clock, headEveryMs }: SigningParts,
  { newest, end }: Ends,
): Promise<SignedHead | null> {
  const now = clock();
  if (end === null || end.seq === newest?.seq) return newest;
  // `abs`, so that a forged head with a time in the future does not suppress the next ones.
  if (newest && Math.abs(now - newest.signedAt.getTime()) < headEveryMs) return newest;
  const key = await signingKey(client, cipher, now);
  const signedAt = isoTime(now);
  const { kid } = key;
  const { seq, hash: entryHash } = end;
  const signature = signHead({ environment, seq, entryHash, signedAt, kid }, key, cipher);
  await client.query(addHeadSql, [seq, entryHash, signedAt, kid, signature]);
  return { seq, entryHash, signature };
}

/** The newest key, or a new one if it was encrypted with a secret that is no longer configured. */
async function signingKey(client: PoolClient, cipher: Cipher, now: number): Promise<SealedKey> {
  const { rows } = await client.query<SealedKey>(newestKeySql);
  const [newest] = rows;
  if (newest && cipher.knows(newest.sealedBy)) return newest;
  const key = newChainKey(cipher);
  const { kid, algorithm, publicJwk, sealedPrivate, sealedBy } = key;
  const at = isoTime(now);
  await client.query(addKeySql, [kid, algorithm, publicJwk, sealedPrivate, sealedBy, at]);
  return key;
}

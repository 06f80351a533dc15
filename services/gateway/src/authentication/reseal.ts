import { sealBytes } from '@countersign/kernel/cipher';
import type { Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import { unsealAny } from './unseal.js';

interface Parts {
  pool: Pool;
  log: Logger;
  cipherKey: Buffer;
  /** Keys that may have sealed what is in the database. */
  formerKeys: readonly Buffer[];
}

interface Row {
  kid: string;
  sealed_private: Buffer;
}

/**
 * Token keys live long and are made once, so they move to a new SECRETS_KEY themselves: what a
 * former one sealed is sealed anew. Replicas may do so at once; what any of them writes is right.
 */
export async function resealTokenKeys({ pool, log, cipherKey, formerKeys }: Parts): Promise<void> {
  const { rows } = await pool.query<Row>('SELECT kid, sealed_private FROM token_key');
  for (const { kid, sealed_private: sealed } of rows) {
    if (unsealAny([cipherKey], kid, sealed)) continue;
    const secret = unsealAny(formerKeys, kid, sealed);
    if (!secret) {
      log.error({ kid }, 'a token key was sealed with a SECRETS_KEY that is not configured');
      continue;
    }
    await pool.query(
      'UPDATE token_key SET sealed_private = $2 WHERE kid = $1 AND sealed_private = $3',
      [kid, sealBytes(cipherKey, kid, secret), sealed],
    );
    log.info({ kid }, 'token key sealed anew');
  }
}

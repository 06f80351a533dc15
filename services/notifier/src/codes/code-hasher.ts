import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Environment } from '@countersign/kernel/environment';

/** What a code is for; its hash is good for nothing else. */
export interface CodePlace {
  environment: Environment;
  authorizationId: string;
}

/**
 * The keyed hash of a code. Without the key six digits are found by trying a million hashes, so the
 * key is not in the database: it is derived from the secret of the installation.
 */
export class CodeHasher {
  readonly #keys: readonly [Buffer, ...Buffer[]];
  readonly #addressKey: Buffer;

  /** The first secret hashes; codes hashed under the others are still recognised. */
  constructor([secret, ...former]: readonly [Buffer, ...Buffer[]]) {
    this.#keys = [derive(secret), ...former.map((each) => derive(each))];
    this.#addressKey = derive(secret, 'countersign one-time code addresses');
  }

  hash(code: string, place: CodePlace): Buffer {
    return hashUnder(this.#keys[0], code, place);
  }

  /** Takes the same time whatever the code is. */
  matches(code: string, place: CodePlace, hash: Uint8Array): boolean {
    const results = this.#keys.map((key) => {
      const own = hashUnder(key, code, place);
      return own.length === hash.length && timingSafeEqual(own, hash);
    });
    return results.includes(true);
  }

  /**
   * Stands for an address by which codes are counted. Under the current secret only: with a new one
   * the counts of the day begin again.
   */
  addressee(address: string): Buffer {
    return createHmac('sha256', this.#addressKey).update(address).digest();
  }
}

function derive(secret: Buffer, purpose = 'countersign one-time codes'): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}

function hashUnder(key: Buffer, code: string, place: CodePlace): Buffer {
  const text = JSON.stringify([place.environment, place.authorizationId, code]);
  return createHmac('sha256', key).update(text).digest();
}

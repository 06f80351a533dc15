import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Environment } from '@countersign/kernel/environment';

/** The purpose of a code, which is part of its hash, so that it is not valid for anything else. */
interface CodePlace {
  environment: Environment;
  authorizationId: string;
}

/**
 * Keyed hashes of codes. Without a key a six-digit code could be found by hashing a million
 * candidates, so the key is derived from the secret of the installation and not in the database.
 */
export class CodeHasher {
  readonly #keys: readonly [Buffer, ...Buffer[]];
  readonly #addressKey: Buffer;

  /**
   * The first secret is used for new hashes; codes hashed with the others are still recognised.
   */
  constructor([secret, ...former]: readonly [Buffer, ...Buffer[]]) {
    this.#keys = [derive(secret), ...former.map((each) => derive(each))];
    this.#addressKey = derive(secret, 'countersign one-time code addresses');
  }

  hash(code: string, place: CodePlace): Buffer {
    return hashUnder(this.#keys[0], code, place);
  }

  /** Compares in constant time. */
  matches(code: string, place: CodePlace, hash: Uint8Array): boolean {
    const results = this.#keys.map((key) => {
      const own = hashUnder(key, code, place);
      return own.length === hash.length && timingSafeEqual(own, hash);
    });
    return results.includes(true);
  }

  /**
   * The keyed hash of an address, by which codes are counted. It uses only the current secret, so
   * the rate limits start anew when the secret is rotated.
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

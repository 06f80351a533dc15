import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** An encrypted secret. `keyId` names the key, so that keys can be rotated gradually. */
export interface Sealed {
  keyId: string;
  /** 12 bytes nonce, 16 bytes tag, then the ciphertext. */
  bytes: Buffer;
}

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/**
 * AES-256-GCM for secrets that must be recoverable. `place` identifies the row of the secret (kind
 * and id) and is authenticated as associated data, so a ciphertext copied to another row does not
 * decrypt.
 */
export class Cipher {
  readonly #current: string;
  readonly #keys: ReadonlyMap<string, Buffer>;

  /** The first key encrypts; the others only decrypt what was encrypted before the rotation. */
  constructor(keys: readonly [Buffer, ...Buffer[]]) {
    this.#keys = new Map(keys.map((key) => [keyId(key), key]));
    this.#current = keyId(keys[0]);
  }

  seal(secret: string, place: string): Sealed {
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv(algorithm, this.#key(this.#current), nonce);
    cipher.setAAD(Buffer.from(place));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return { keyId: this.#current, bytes: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
  }

  /** Whether this key is available for decryption. */
  knows(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** Throws if the key is unknown or the bytes were not encrypted for this place. */
  open(sealed: { keyId: string; bytes: Uint8Array }, place: string): string {
    const bytes = Buffer.from(sealed.bytes);
    if (bytes.length < nonceLength + tagLength) throw new Error('not a sealed secret');
    const nonce = bytes.subarray(0, nonceLength);
    const opener = createDecipheriv(algorithm, this.#key(sealed.keyId), nonce, {
      authTagLength: tagLength,
    });
    opener.setAAD(Buffer.from(place));
    opener.setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength));
    const text = bytes.subarray(nonceLength + tagLength);
    return Buffer.concat([opener.update(text), opener.final()]).toString('utf8');
  }

  #key(id: string): Buffer {
    const key = this.#keys.get(id);
    if (!key) throw new Error(`no key with the id ${id} is configured`);
    return key;
  }
}

/** Identifies a key without revealing anything about it. */
function keyId(key: Buffer): string {
  return createHash('sha256').update('countersign key id\n').update(key).digest('hex').slice(0, 12);
}

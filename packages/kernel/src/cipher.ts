import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** An encrypted secret. `keyId` names the key, so that keys can be rotated gradually. */
interface Sealed {
  keyId: string;
  /** 12 bytes nonce, 16 bytes tag, then the ciphertext. */
  bytes: Buffer;
}

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/**
 * AES-256-GCM: nonce, tag, ciphertext. `place` identifies the row of the secret, and is
 * authenticated as associated data, so a ciphertext copied to another row does not decrypt.
 */
export function sealBytes(key: Buffer, place: string, bytes: Buffer): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(place));
  const text = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Throws if the bytes were not encrypted with this key for this place. */
export function openBytes(key: Buffer, place: string, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed);
  if (bytes.length < nonceLength + tagLength) throw new Error('not a sealed secret');
  const nonce = bytes.subarray(0, nonceLength);
  const opener = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength });
  opener
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength));
  return Buffer.concat([opener.update(bytes.subarray(nonceLength + tagLength)), opener.final()]);
}

/** For secrets that must be recoverable, also after their key was replaced. */
export class Cipher {
  readonly #current: string;
  readonly #keys: ReadonlyMap<string, Buffer>;

  /** The first key encrypts; the others only decrypt what was encrypted before the rotation. */
  constructor(keys: readonly [Buffer, ...Buffer[]]) {
    this.#keys = new Map(keys.map((key) => [keyId(key), key]));
    this.#current = keyId(keys[0]);
  }

  seal(secret: string, place: string): Sealed {
    const bytes = sealBytes(this.#key(this.#current), place, Buffer.from(secret));
    return { keyId: this.#current, bytes };
  }

  /** Whether this key is available for decryption. */
  knows(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** Throws if the key is unknown or the bytes were not encrypted for this place. */
  open(sealed: { keyId: string; bytes: Uint8Array }, place: string): string {
    return openBytes(this.#key(sealed.keyId), place, sealed.bytes).toString('utf8');
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

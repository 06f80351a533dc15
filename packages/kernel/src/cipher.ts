import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** A secret at rest. `keyId` names the key, so that a key can be replaced without a flag day. */
export interface Sealed {
  keyId: string;
  /** 12 bytes nonce, 16 bytes tag, then the ciphertext. */
  bytes: Buffer;
}

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/**
 * AES-256-GCM for secrets that must be recoverable. `place` says where the secret belongs (kind and
 * id of its row) and is authenticated with it: a ciphertext moved to another row does not open.
 */
export class Cipher {
  readonly #current: string;
  readonly #keys: ReadonlyMap<string, Buffer>;

  /** The first key seals; the others only open what was sealed before they were replaced. */
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

  /** Whether what was sealed with this key can be opened. */
  knows(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** Throws where the key is not known or the bytes were not sealed for this place. */
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

/** Tells keys apart without telling anything about them. */
function keyId(key: Buffer): string {
  return createHash('sha256').update('countersign key id\n').update(key).digest('hex').slice(0, 12);
}

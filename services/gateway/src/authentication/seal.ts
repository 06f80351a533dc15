import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const nonceLength = 12;
const tagLength = 16;

/**
 * AES-256-GCM: nonce, tag, ciphertext. `owner` is bound to it, so that a sealed value moved to
 * another row does not open there.
 */
export function seal(key: Buffer, owner: string, secret: Buffer): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Throws when the key, the owner or a single bit is another. */
function unseal(key: Buffer, owner: string, sealed: Buffer): Buffer {
  const nonce = sealed.subarray(0, nonceLength);
  const tag = sealed.subarray(nonceLength, nonceLength + tagLength);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
  return Buffer.concat([
    decipher.update(sealed.subarray(nonceLength + tagLength)),
    decipher.final(),
  ]);
}

/** With whichever of the keys it was sealed; null where it was none of them. */
export function unsealAny(keys: readonly Buffer[], owner: string, sealed: Buffer): Buffer | null {
  for (const key of keys) {
    try {
      return unseal(key, owner, sealed);
    } catch {
      // Another may have been in use when it was sealed.
    }
  }
  return null;
}

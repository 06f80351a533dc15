import {
  createPrivateKey,
  createPublicKey,
  type ED25519KeyPairOptions,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';

interface FreshKeyPair {
  privateKey: KeyObject;
  publicKey: KeyObject;
}

const encodings: ED25519KeyPairOptions<'der', 'der'> = {
  privateKeyEncoding: { format: 'der', type: 'pkcs8' },
  publicKeyEncoding: { format: 'der', type: 'spki' },
};

/**
 * A new pair, for which `generateKeyPairSync` must not be asked in its simple form: the key objects
 * that it returns share a lock with the job that generated them. If the garbage collector ends that
 * job while one of them is exported, Node.js waits for itself, and the process stands still for
 * good. Keys that leave the job encoded share nothing with it.
 */
export function freshKeyPair(curve: 'Ed25519' | 'P-256'): FreshKeyPair {
  const { privateKey, publicKey } =
    curve === 'Ed25519'
      ? generateKeyPairSync('ed25519', encodings)
      : generateKeyPairSync('ec', { ...encodings, namedCurve: curve });
  return {
    privateKey: createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' }),
    publicKey: createPublicKey({ key: publicKey, format: 'der', type: 'spki' }),
  };
}

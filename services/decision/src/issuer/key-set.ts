import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { isRecord } from '@countersign/kernel/is-record';
import { sandboxIssuer } from './sandbox-issuer.js';

/** The public P-256 keys of an issuer, by `kid`. */
export type KeySet = ReadonlyMap<string, JsonWebKey>;

class KeySetError extends Error {}

const maxKeys = 100;

/**
 * The usable keys of a JWKS; keys of other types are skipped. Throws KeySetError for a set with a
 * private key, a key that is not on the curve, or a duplicate `kid`.
 */
export function readKeySet(value: unknown): KeySet {
  const keys = isRecord(value) ? value.keys : undefined;
  if (!Array.isArray(keys)) throw new KeySetError('a key set must have a list of keys');
  if (keys.length > maxKeys) throw new KeySetError(`a key set may have at most ${maxKeys} keys`);
  const found = new Map<string, JsonWebKey>();
  for (const key of keys) {
    if (!isRecord(key)) throw new KeySetError('a key must be an object');
    if ('d' in key) throw new KeySetError('a key set must not contain private keys');
    const { kty, crv, kid, x, y } = key;
    if (kty !== 'EC' || crv !== 'P-256' || typeof kid !== 'string' || kid === '') continue;
    if (found.has(kid)) throw new KeySetError(`two keys have the kid ${kid}`);
    found.set(kid, pointOf({ kty, crv, x, y }));
  }
  return found;
}

function pointOf(jwk: { kty: string; crv: string; x: unknown; y: unknown }): JsonWebKey {
  try {
    const { kty, crv, x, y } = createPublicKey({
      key: jwk as JsonWebKey,
      format: 'jwk',
    }).export({ format: 'jwk' });
    return { kty, crv, x, y } as JsonWebKey;
  } catch {
    throw new KeySetError('a key is not a point on P-256');
  }
}

/**
 * The sandbox issuer's private key is public: under whatever name, it must not be trusted in live.
 */
export function hasSandboxKey(keys: KeySet): boolean {
  return [...keys.values()].some(({ x }) => x === sandboxIssuer.publicJwk.x);
}

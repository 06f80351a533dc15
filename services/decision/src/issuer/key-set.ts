import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { sandboxIssuer } from './sandbox-issuer.js';

/** Public keys of an issuer by `kid`; P-256 all of them. */
export type KeySet = ReadonlyMap<string, JsonWebKey>;

export class KeySetError extends Error {}

const maxKeys = 100;

/**
 * The usable keys of a JWKS; keys for other uses are skipped. Throws KeySetError for a set with a
 * private key, a key that is not on the curve, or two keys of one id.
 */
export function readKeySet(value: unknown): KeySet {
  const keys = isObject(value) ? value.keys : undefined;
  if (!Array.isArray(keys)) throw new KeySetError('a key set must have a list of keys');
  if (keys.length > maxKeys) throw new KeySetError(`a key set may have ${maxKeys} keys`);
  const found = new Map<string, JsonWebKey>();
  for (const key of keys) {
    if (!isObject(key)) throw new KeySetError('a key must be an object');
    if ('d' in key) throw new KeySetError('a key set must not have private keys');
    const { kty, crv, kid, x, y } = key;
    if (kty !== 'EC' || crv !== 'P-256' || typeof kid !== 'string' || kid === '') continue;
    if (found.has(kid)) throw new KeySetError(`the kid ${kid} is there twice`);
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
    throw new KeySetError('a key is no point of P-256');
  }
}

/** Whether the key of the public sandbox issuer is among them. */
export function hasSandboxKey(keys: KeySet): boolean {
  return [...keys.values()].some(({ x }) => x === sandboxIssuer.publicJwk.x);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

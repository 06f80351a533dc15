import { createPublicKey } from 'node:crypto';
import type { JWK } from 'jose';
import type { PublishedKeySet } from '../published-keys.js';

/** What a verifier needs: retired keys stay, because what they signed stays; revoked ones go. */
export function jwksView({ signing, token }: Omit<PublishedKeySet, 'complete'>) {
  const decisions = signing
    .filter(({ key }) => key.revokedAt === undefined)
    .map(({ key }) => publicJwk(JSON.parse(key.jwkJson) as JWK, key.kid));
  return { keys: [...decisions, ...token.map(({ jwk, kid }) => publicJwk(jwk, kid))] };
}

/** A set that lacks keys is not to be kept: like every other answer it says `no-store`. */
export function keptFor({ complete }: Pick<PublishedKeySet, 'complete'>): Record<string, string> {
  return complete ? { 'Cache-Control': 'public, max-age=300' } : {};
}

/** The keys that sign decisions with their lifecycle, revoked ones included. */
export function publicKeysView({ signing }: Pick<PublishedKeySet, 'signing'>, issuer: string) {
  return {
    issuer,
    keys: signing.map(({ environment, key }) => {
      const jwk = publicJwk(JSON.parse(key.jwkJson) as JWK, key.kid);
      return {
        kid: key.kid,
        env: environment,
        alg: 'ES256',
        status: key.status,
        not_before: key.notBefore,
        retired_at: key.retiredAt ?? null,
        revoked_at: key.revokedAt ?? null,
        jwk,
        pem: pemOf(jwk),
      };
    }),
  };
}

/** Named members only: whatever else a stored key may hold, a private half never gets out. */
function publicJwk({ kty, crv, x, y }: JWK, kid: string) {
  return { kty, crv, x, y, kid, use: 'sig', alg: 'ES256' };
}

function pemOf({ kty, crv, x, y }: JWK): string {
  const key = createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

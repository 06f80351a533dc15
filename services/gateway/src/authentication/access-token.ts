import { hash, randomUUID } from 'node:crypto';
import type { Clock } from '@countersign/kernel/clock';
import type { Environment } from '@countersign/kernel/environment';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { type Access, accesses } from './credential.js';
import type { TokenKeys } from './token-keys.js';

const tokenLifetimeSeconds = 900;
const tokenType = 'at+jwt';
/** Longer than any token that is made here; longer ones are not ours. */
const maxTokenLength = 4_096;
const maxVerified = 10_000;

/** The claims of a token. Its scopes and environment are fixed when it is issued. */
export interface TokenClaims {
  /** `svcoc_…`, or the `prn_` whose key was exchanged. */
  oauthClientId: string;
  /** The credential behind it, which is checked again with every request. */
  credentialId: string;
  /** `cli_…`, or the `prn_`. */
  subject: string;
  principalId: string | null;
  environment: Environment;
  /** Empty means all paths. */
  scopes: readonly string[];
  access: Access;
}

const claimsSchema = z.object({
  sub: z.string(),
  client_id: z.string(),
  acr: z.string(),
  prn: z.string().optional(),
  env: z.enum(['live', 'sandbox']),
  scope: z.string(),
  access: z.enum(accesses).default('full'),
  exp: z.number(),
});

interface Options {
  keys: TokenKeys;
  issuer: string;
  clock: Clock;
}

/** `expired` is a token that was good once; everything else unreadable is `invalid`. */
type Verified = { claims: TokenClaims } | { problem: 'expired' | 'invalid' };

/** Issues and verifies access tokens; the signature of a token is verified once per process. */
export class AccessTokens {
  readonly #options: Options;
  readonly #verified = new BoundedMap<string, { claims: TokenClaims; expiresAt: number }>(
    maxVerified,
  );

  constructor(options: Options) {
    this.#options = options;
  }

  /** A token that ends with its credential, at the latest after its lifetime. */
  async mint(
    claims: TokenClaims,
    credentialExpiresAt: number | null,
  ): Promise<{ token: string; expiresInSeconds: number }> {
    const now = Math.floor(this.#options.clock() / 1_000);
    const last = Math.floor((credentialExpiresAt ?? Number.MAX_SAFE_INTEGER) / 1_000);
    const expiresAt = Math.min(now + tokenLifetimeSeconds, last);
    const key = await this.#options.keys.signingKey(claims.environment);
    const token = await new SignJWT({
      client_id: claims.oauthClientId,
      acr: claims.credentialId,
      ...(claims.principalId && { prn: claims.principalId }),
      env: claims.environment,
      scope: scopeText(claims.scopes),
      ...(claims.access !== 'full' && { access: claims.access }),
    })
      .setProtectedHeader({ alg: 'ES256', typ: tokenType, kid: key.kid })
      .setIssuer(this.#options.issuer)
      .setAudience(this.#options.issuer)
      .setSubject(claims.subject)
      .setIssuedAt(now)
      .setExpirationTime(expiresAt)
      .setJti(randomUUID())
      .sign(key.privateKey);
    return { token, expiresInSeconds: expiresAt - now };
  }

  async verify(token: string): Promise<Verified> {
    if (token.length > maxTokenLength) return { problem: 'invalid' };
    const digest = hash('sha256', token, 'base64url');
    const known = this.#verified.get(digest);
    if (known) {
      return known.expiresAt > this.#options.clock() ? known : { problem: 'expired' };
    }
    const result = await this.#verifySignature(token);
    if ('claims' in result) this.#verified.set(digest, result);
    return result;
  }

  async #verifySignature(
    token: string,
  ): Promise<{ claims: TokenClaims; expiresAt: number } | { problem: 'expired' | 'invalid' }> {
    const kid = keyIdOf(token);
    const key = kid === null ? null : await this.#options.keys.verificationKey(kid);
    if (!key) return { problem: 'invalid' };
    try {
      const { payload } = await jwtVerify(token, key.publicKey, {
        algorithms: ['ES256'],
        typ: tokenType,
        issuer: this.#options.issuer,
        audience: this.#options.issuer,
        currentDate: new Date(this.#options.clock()),
      });
      const claims = claimsSchema.parse(payload);
      if (claims.env !== key.environment) return { problem: 'invalid' };
      return { claims: toClaims(claims), expiresAt: claims.exp * 1_000 };
    } catch (error) {
      return { problem: error instanceof errors.JWTExpired ? 'expired' : 'invalid' };
    }
  }
}

/** RFC 6749 has scopes separated by spaces; `*` is full access, as in a credential. */
export function scopeText(scopes: readonly string[]): string {
  return scopes.length === 0 ? '*' : scopes.join(' ');
}

function keyIdOf(token: string): string | null {
  try {
    return decodeProtectedHeader(token).kid ?? null;
  } catch {
    return null;
  }
}

function toClaims(claims: z.infer<typeof claimsSchema>): TokenClaims {
  return {
    oauthClientId: claims.client_id,
    credentialId: claims.acr,
    subject: claims.sub,
    principalId: claims.prn ?? null,
    environment: claims.env,
    scopes: claims.scope === '*' ? [] : claims.scope.split(' '),
    access: claims.access,
  };
}

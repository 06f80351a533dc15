import { isoTime } from './clock.js';
import { encodedHeader, type JwsHeader } from './decision-claims.js';
import type { Environment } from './environment.js';

/** A signed decision as it appears in the public answer. `jws` is a compact JWS. */
export interface Attestation extends JwsHeader {
  format: 'jws';
  jws: string;
  jwks_uri: string;
  issued_at: string;
  expires_at: string;
}

interface Signing {
  kid: string;
  /** Header and claims of the JWS, and its signature, without a character that JSON escapes. */
  input: string;
  signature: string;
  baseUrl: string;
  /** Epoch seconds. */
  issuedAt: number;
  expiresAt: number;
}

const alg = 'ES256';
const typ = 'authorization-decision+jwt';

/** Stored answers are completed by this function: another form needs another layout there. */
export function attestationOf(signing: Signing): Attestation {
  const { kid, input, signature, baseUrl } = signing;
  const { issued_at, expires_at } = timesOf(signing);
  return {
    format: 'jws',
    typ,
    alg,
    kid,
    jws: `${input}.${signature}`,
    jwks_uri: `${baseUrl}/api/v1/.well-known/jwks.json`,
    issued_at,
    expires_at,
  };
}

export function attestationHeader(kid: string): string {
  return encodedHeader({ alg, typ, kid });
}

/** Different issuers, so that a verifier of live decisions refuses those of the sandbox. */
export function issuerOf(baseUrl: string, environment: Environment): string {
  return environment === 'live' ? baseUrl : `${baseUrl}/sandbox`;
}

type Times = Pick<Signing, 'issuedAt' | 'expiresAt'> &
  Pick<Attestation, 'issued_at' | 'expires_at'>;

/** The same for all decisions of one second. */
let latest: Times = { issuedAt: -1, expiresAt: -1, issued_at: '', expires_at: '' };

function timesOf({ issuedAt, expiresAt }: Signing): Times {
  if (latest.issuedAt !== issuedAt || latest.expiresAt !== expiresAt) {
    latest = {
      issuedAt,
      expiresAt,
      issued_at: isoTime(issuedAt * 1_000),
      expires_at: isoTime(expiresAt * 1_000),
    };
  }
  return latest;
}

/** The attestation as a member of an answer. The JWS is most of it and needs no escaping. */
export function attestationText(attestation: Attestation): string {
  const { format, typ, alg, kid, jws, jwks_uri, issued_at, expires_at } = attestation;
  const before = JSON.stringify({ format, typ, alg, kid }).slice(0, -1);
  const after = JSON.stringify({ jwks_uri, issued_at, expires_at }).slice(1);
  return `${before},"jws":"${jws}",${after}`;
}

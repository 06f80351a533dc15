import { isoTime } from '@countersign/kernel/clock';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import type { AgentFacts } from '../facts-shape.js';
import { claimsOf, issuerOf, type Statement } from './claims.js';

/** A signed decision as it appears in the public answer. */
export type Attestation = {
  format: 'jws';
  typ: typeof typ;
  alg: typeof alg;
  kid: string;
  /** Compact JWS. */
  jws: string;
  jwks_uri: string;
  issued_at: string;
  expires_at: string;
};

const typ = 'authorization-decision+jwt';
const alg = 'ES256';

type Attesting = Pick<Context, 'config' | 'counted' | 'signing'>;

/**
 * Signs a decision with the key in memory. Null if signing is off, for an unknown agent, and
 * if signing failed: no decision fails for lack of its attestation.
 */
export async function attest(
  context: Attesting,
  call: Pick<Call, 'environment' | 'log'>,
  statement: Statement,
): Promise<Attestation | null> {
  const { agent } = statement.facts;
  if (!agent || context.config.attestations === 'off') return null;
  try {
    return await signed(context, statement, agent);
  } catch (error) {
    context.counted.unsigned.inc({ environment: call.environment });
    call.log.error({ err: error }, 'answering a decision without attestation');
    return null;
  }
}

async function signed(
  { config, signing }: Attesting,
  statement: Statement,
  agent: AgentFacts,
): Promise<Attestation> {
  const { environment } = statement.facts;
  const signer = signing[environment].current();
  const claims = claimsOf(statement, agent, issuerOf(config.baseUrl, environment));
  const input = `${headerOf(signer.kid)}.${encoded(claims)}`;
  const signature = (await signer.sign(Buffer.from(input))).toString('base64url');
  return {
    format: 'jws',
    typ,
    alg,
    kid: signer.kid,
    jws: `${input}.${signature}`,
    jwks_uri: `${config.baseUrl}/api/v1/.well-known/jwks.json`,
    ...timesOf(claims),
  };
}

interface Times {
  issued_at: string;
  expires_at: string;
}

/** The same for all decisions of one second. */
let latest: Times & { iat: number } = { iat: -1, issued_at: '', expires_at: '' };

function timesOf({ iat, exp }: { iat: number; exp: number }): Times {
  if (latest.iat !== iat) {
    latest = { iat, issued_at: isoTime(iat * 1_000), expires_at: isoTime(exp * 1_000) };
  }
  return { issued_at: latest.issued_at, expires_at: latest.expires_at };
}

/** The same for every decision that a key signs. */
const headers = new BoundedMap<string, string>(16);

function headerOf(kid: string): string {
  const known = headers.get(kid);
  if (known !== undefined) return known;
  const header = encoded({ alg, typ, kid });
  headers.set(kid, header);
  return header;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

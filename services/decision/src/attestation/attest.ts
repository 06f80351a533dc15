import { isoTime } from '@countersign/kernel/clock';
import {
  type ClaimedDecision,
  encodedClaims,
  encodedHeader,
} from '@countersign/kernel/decision-claims';
import { storedJws } from '@countersign/kernel/stored-answer';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import type { AgentFacts } from '../facts/shape.js';
import { claimedBy, issuerOf, type Statement } from './claims.js';

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

/** An attestation, and what the ledger stores of its JWS. */
export interface Signed {
  attestation: Attestation;
  storedJws: string;
}

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
): Promise<Signed | null> {
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
): Promise<Signed> {
  const { environment } = statement.facts;
  const signer = signing[environment].current();
  const claimed = claimedBy(statement, agent, issuerOf(config.baseUrl, environment));
  const input = `${headerOf(signer.kid)}.${encodedClaims(claimed)}`;
  const signature = (await signer.sign(Buffer.from(input))).toString('base64url');
  const { issued_at, expires_at } = timesOf(claimed);
  const attestation: Attestation = {
    format: 'jws',
    typ,
    alg,
    kid: signer.kid,
    jws: `${input}.${signature}`,
    jwks_uri: `${config.baseUrl}/api/v1/.well-known/jwks.json`,
    issued_at,
    expires_at,
  };
  return { attestation, storedJws: storedJws(claimed, signature) };
}

interface Times {
  issued_at: string;
  expires_at: string;
}

/** The same for all decisions of one second. */
let latest: Times & { second: number } = { second: -1, issued_at: '', expires_at: '' };

function timesOf({ issuedAt, expiresAt }: ClaimedDecision): Times {
  if (latest.second !== issuedAt) {
    latest = {
      second: issuedAt,
      issued_at: isoTime(issuedAt * 1_000),
      expires_at: isoTime(expiresAt * 1_000),
    };
  }
  return latest;
}

/** The same for every decision that a key signs. */
const headers = new BoundedMap<string, string>(16);

function headerOf(kid: string): string {
  const known = headers.get(kid);
  if (known !== undefined) return known;
  const header = encodedHeader({ alg, typ, kid });
  headers.set(kid, header);
  return header;
}

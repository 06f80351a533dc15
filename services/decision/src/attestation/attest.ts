import { attestationHeader, issuerOf } from '@countersign/kernel/attestation';
import { encodedClaims } from '@countersign/kernel/decision-claims';
import { type Signed, signedAs } from '@countersign/kernel/packed-attestation';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import type { AgentFacts } from '../facts/shape.js';
import { claimedBy, type Statement } from './claims.js';

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
  return signedAs(claimed, { kid: signer.kid, baseUrl: config.baseUrl, input, signature });
}

/** The same for every decision that a key signs. */
const headers = new BoundedMap<string, string>(16);

function headerOf(kid: string): string {
  const known = headers.get(kid);
  if (known !== undefined) return known;
  const header = attestationHeader(kid);
  headers.set(kid, header);
  return header;
}

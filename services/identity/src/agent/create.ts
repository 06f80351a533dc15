import type { Environment } from '@countersign/kernel/environment';
import { invalidField } from '@countersign/kernel/fault';
import { capabilities } from '@countersign/kernel/vocabulary';
import type { CreateAgentRequest } from '@countersign/proto/identity';
import type { Reader, Transaction } from '../db.js';
import { oneOf } from '../field-errors.js';
import { refusal } from '../refusal.js';
import { didMethod } from './did.js';
import { generateDidKey } from './did-key.js';
import { chooseProgram } from './program.js';
import { type PublicKey, readPublicKey } from './public-key.js';
import { proofRefused, type VerifiedProof, verifyRegistrationProof } from './registration-proof.js';
import { purgeUsedProofs } from './sql.js';

/** The DID of a new agent, and the key whose possession it has proved, if any. */
interface AgentIdentity {
  did: string;
  didMethod: string;
  proven: { key: PublicKey; proof: VerifiedProof } | null;
}

interface ProofScope {
  baseUrl: string;
  environment: Environment;
  nowMs: number;
}

/**
 * Uses the DID of the request, else the did:key of the proven key, else a new did:key. Throws 422
 * on `did`, `public_key_jwk` or `registration_proof`. A replayed proof is only detected by the
 * unique index when the agent is inserted.
 */
export async function readAgentIdentity(
  request: CreateAgentRequest,
  { baseUrl, environment, nowMs }: ProofScope,
): Promise<AgentIdentity> {
  const { did: given, publicKeyJwkJson: keyJson, registrationProof } = request;
  const method = given === undefined ? 'key' : didMethod(given);
  if (keyJson === undefined) {
    if (registrationProof !== undefined) {
      const message = 'public_key_jwk is required with registration_proof.';
      throw invalidField('public_key_jwk', 'missing', message);
    }
    return { did: given ?? generateDidKey(), didMethod: method, proven: null };
  }
  if (registrationProof === undefined) throw proofRefused('missing');
  const key = await readPublicKey(keyJson);
  const did = given ?? key.did;
  if (method === 'key' && did !== key.did) throw proofRefused('did_mismatch');
  const proof = await verifyRegistrationProof(registrationProof, {
    publicKey: key,
    did,
    principalId: request.principalId,
    audience: environment === 'sandbox' ? `${baseUrl}/sandbox` : baseUrl,
    target: `${baseUrl}/api/v1/agents`,
    nowMs,
  });
  return { did, didMethod: method, proven: { key, proof } };
}

/** The principal's agent with this id, or null. Throws if the id belongs to another principal. */
export async function findCreatedAgent(reader: Reader, request: CreateAgentRequest) {
  const existing = await reader.agent.findUnique({ where: { id: request.id } });
  const { clientId, principalId } = request;
  if (existing && (existing.clientId !== clientId || existing.principalId !== principalId)) {
    throw refusal.idInUse(request.id);
  }
  return existing;
}

interface AgentScope {
  identity: AgentIdentity;
  /** The programs of the principal, in order of enrolment. */
  programIds: string[];
  nowMs: number;
}

export async function insertAgent(
  tx: Transaction,
  request: CreateAgentRequest,
  { identity, programIds, nowMs }: AgentScope,
) {
  const now = new Date(nowMs);
  const { did, didMethod: method, proven } = identity;
  const agent = await tx.agent.create({
    data: {
      id: request.id,
      principalId: request.principalId,
      clientId: request.clientId,
      programId: await chooseProgram(tx, request, programIds),
      did,
      didMethod: method,
      name: request.name,
      capabilities: readCapabilities(request.capabilities),
      publicKeyJwkJson: proven && JSON.stringify(proven.key.jwk),
      keyThumbprint: proven?.key.thumbprint ?? null,
      viCapable: proven?.key.viCapable ?? false,
      externalAgentRef: request.externalAgentRef ?? null,
      metadataJson: request.metadataJson ?? '{}',
      createdAt: now,
      updatedAt: now,
    },
  });
  if (proven) {
    const { jti, expiresAtMs } = proven.proof;
    const keyThumbprint = proven.key.thumbprint;
    await tx.$executeRawUnsafe(purgeUsedProofs, now);
    await tx.registrationProofJti.create({
      data: { keyThumbprint, jti, expiresAt: new Date(expiresAtMs) },
    });
  }
  return agent;
}

/** The refusal for a violated unique index. */
export function agentRefusal(index: string): Error {
  if (index === 'agents_did_live_key') return refusal.didInUse();
  if (index === 'registration_proof_jti_pkey') return proofRefused('replayed');
  return refusal.conflict('The agent conflicts with an existing agent.');
}

function readCapabilities(requested: string[]): string[] {
  const known = requested.map((capability) => oneOf('capabilities', capability, capabilities));
  return known.length === 0 ? ['PURCHASE'] : [...new Set(known)];
}

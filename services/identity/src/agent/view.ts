import type { AgentInput } from '@countersign/proto/identity';

/** An agent as Prisma or a raw statement gives it. */
export interface AgentRecord {
  id: string;
  principalId: string;
  clientId: string;
  programId: string | null;
  did: string;
  didMethod: string;
  name: string;
  status: string;
  trustLevel: string;
  capabilities: string[];
  publicKeyJwkJson: string | null;
  keyThumbprint: string | null;
  viCapable: boolean;
  version: number;
  createdAt: Date | string;
}

export function agentView(record: AgentRecord): AgentInput {
  return {
    id: record.id,
    principalId: record.principalId,
    clientId: record.clientId,
    programId: record.programId ?? undefined,
    did: record.did,
    didMethod: record.didMethod,
    name: record.name,
    status: record.status,
    trustLevel: record.trustLevel,
    capabilities: record.capabilities,
    publicKeyJwkJson: record.publicKeyJwkJson ?? undefined,
    keyThumbprint: record.keyThumbprint ?? undefined,
    viCapable: record.viCapable,
    version: record.version,
    createdAt: new Date(record.createdAt).toISOString(),
  };
}

import type { AgentInput } from '@countersign/proto/identity';
import type { Agent } from '../generated/prisma/client.js';

export function agentView(record: Agent): AgentInput {
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
    version: record.version,
    createdAt: record.createdAt.toISOString(),
  };
}

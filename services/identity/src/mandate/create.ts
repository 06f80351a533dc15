import type { CreateMandateRequest } from '@countersign/proto/identity';
import type { Transaction } from '../db.js';
import type { Agent, Program } from '../generated/prisma/client.js';
import { mandateHash } from './hash.js';
import { readTerms } from './request.js';
import type { Plane } from './terms.js';

interface MandateScope {
  agent: Pick<Agent, 'id' | 'principalId' | 'clientId' | 'version'>;
  program: Program | null;
  plane: Plane;
  fieldPrefix: string;
  nowMs: number;
}

/**
 * The agent's version must already have been incremented for this mandate: it becomes the ordinal,
 * which orders the mandates of an agent independently of clocks.
 */
export async function insertMandate(
  tx: Transaction,
  request: CreateMandateRequest,
  { agent, program, plane, fieldPrefix, nowMs }: MandateScope,
) {
  const terms = readTerms(request, {
    agentId: agent.id,
    principalId: agent.principalId,
    program,
    plane,
    fieldPrefix,
    nowMs,
  });
  return tx.mandate.create({
    data: {
      id: request.id,
      clientId: agent.clientId,
      ordinal: agent.version,
      mandateHash: mandateHash(terms),
      createdAt: new Date(nowMs),
      ...terms,
    },
  });
}

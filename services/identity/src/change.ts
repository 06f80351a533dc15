import type { BusEvent, IdentityChange } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Context } from './context.js';
import type { Transaction } from './db.js';
import { putPendingFences } from './sql.js';

/** A change of an entity that decisions are judged by and caches may hold. */
export interface Change extends IdentityChange {
  clientId: string;
  principalId: string | null;
}

interface AgentVersion {
  id: string;
  version: number;
  clientId: string;
  principalId: string;
}

/** The change that a new version of an agent is. */
export function agentChange(agent: AgentVersion): Change {
  const { id, version, clientId, principalId } = agent;
  return { entity: 'agent', entityId: id, agentId: id, version, clientId, principalId };
}

export interface Outcome<T> {
  answer: T;
  /** Entities whose fences must be in the ledger before the call is answered. */
  fenced: string[];
}

/**
 * The only way in which authority is changed. The change, its fences and its events are committed
 * together, and the call is answered only once the ledger refuses every proposal judged by an older
 * version. A repeated call names the same entities, so it is not answered earlier either.
 */
export async function applyChange<T>(
  context: Context,
  call: Call,
  work: (tx: Transaction) => Promise<Outcome<T>>,
): Promise<T> {
  const { environment } = call;
  const { answer, fenced } = await context.stores[environment].prisma.$transaction(work);
  context.relays[environment].wake();
  await context.fences[environment].settle(fenced, call);
  return answer;
}

export type Cause = Pick<Call, 'environment'> & { requestId: string | null; nowMs: number };

/** Writes the fences and events of changes into the transaction that makes them. */
export async function recordChanges(
  tx: Transaction,
  cause: Cause,
  { changes, fence, revokedAgentId }: Recording,
): Promise<void> {
  if (changes.length === 0) return;
  const events = changes.map((change) => changeEvent(change, cause));
  await tx.outboxEvent.createMany({
    data: events.map((event) => ({
      eventId: event.id,
      type: event.type,
      payload: JSON.stringify(event),
    })),
  });
  if (!fence) return;
  await tx.$executeRawUnsafe(
    putPendingFences,
    changes.map((change) => change.entityId),
    changes.map((change) => change.version),
    changes.map((change) => change.entityId === revokedAgentId),
  );
}

export interface Recording {
  changes: Change[];
  fence: boolean;
  /** The one of them that was revoked, where it is an agent: its challenges end with it. */
  revokedAgentId?: string;
}

export function changeEvent(change: Change, cause: Cause): BusEvent<'identity.changed'> {
  const { clientId, principalId, ...data } = change;
  return {
    id: newId('event'),
    type: 'identity.changed',
    environment: cause.environment,
    principalId,
    clientId,
    requestId: cause.requestId,
    occurredAt: new Date(cause.nowMs).toISOString(),
    data,
  };
}

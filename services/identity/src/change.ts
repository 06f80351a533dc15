import type { BusEvent, IdentityChange } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Context } from './context.js';
import type { Transaction } from './db.js';
import { putPendingFences } from './fence/sql.js';

/** A new version of an entity that decisions are based on and that caches may hold. */
export interface Change extends IdentityChange {
  clientId: string;
  principalId: string | null;
}

/** What a change of an entity of a Principal tells of it. */
interface OwnedVersion {
  id: string;
  version: number;
  clientId: string;
  principalId: string;
}

export function agentChange(agent: OwnedVersion): Change {
  const { id, version, clientId, principalId } = agent;
  return { entity: 'agent', entityId: id, agentId: id, version, clientId, principalId };
}

export function principalChange(principal: Omit<OwnedVersion, 'principalId'>): Change {
  const { id, version, clientId } = principal;
  return { entity: 'principal', entityId: id, agentId: null, version, clientId, principalId: id };
}

export function mandateChange(mandate: OwnedVersion & { agentId: string }): Change {
  const { id, agentId, version, clientId, principalId } = mandate;
  return { entity: 'mandate', entityId: id, agentId, version, clientId, principalId };
}

export function programChange(program: Omit<OwnedVersion, 'principalId'>): Change {
  const { id, version, clientId } = program;
  return { entity: 'program', entityId: id, agentId: null, version, clientId, principalId: null };
}

interface ChangeResult<T> {
  result: T;
  /** The entities whose fences the ledger must have accepted before the call returns. */
  fencedIds: string[];
}

/**
 * Every change of authority goes through this function. The change, its fences and its events are
 * committed in one transaction, and the call returns only once the ledger rejects proposals based
 * on older versions. A repeated call names the entity again, so it waits for its fence as well. For
 * an agent that was revoked with its mandates the agent's own fence suffices.
 */
export async function applyChange<T>(
  context: Context,
  call: Call,
  work: (tx: Transaction) => Promise<ChangeResult<T>>,
): Promise<T> {
  const { environment } = call;
  const { result, fencedIds } = await context.stores[environment].prisma.$transaction(work);
  context.relays[environment].wake();
  await context.fences[environment].deliver(fencedIds, call);
  return result;
}

type ChangeMetadata = Pick<Call, 'environment'> & {
  requestId: string | null;
  nowMs: number;
};

/** Writes the events of the changes, and their fences, in the transaction that makes them. */
export async function recordChanges(
  tx: Transaction,
  metadata: ChangeMetadata,
  { changes, fence, revokedAgentId }: ChangeSet,
): Promise<void> {
  if (changes.length === 0) return;
  const events = changes.map((change) => changeEvent(change, metadata));
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

interface ChangeSet {
  changes: Change[];
  fence: boolean;
  /** Set if an agent was revoked: the ledger then also denies its pending challenges. */
  revokedAgentId?: string;
}

export function changeEvent(
  change: Change,
  metadata: ChangeMetadata,
): BusEvent<'identity.changed'> {
  const { clientId, principalId, ...data } = change;
  return {
    id: newId('event'),
    type: 'identity.changed',
    environment: metadata.environment,
    principalId,
    clientId,
    requestId: metadata.requestId,
    occurredAt: new Date(metadata.nowMs).toISOString(),
    data,
  };
}

import { isoTime } from '@countersign/kernel/clock';
import { newId } from '@countersign/kernel/id';
import type { EntityVersion } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
import { eventFormat, placeholder } from './amended-format.js';
import { amendedEvent } from './amendment.js';
import type { Context } from './context.js';
import { attemptLimits, retryContended, unavailable } from './failure.js';
import { fenceAndDenySql, fenceSql } from './sql.js';

interface Fencing {
  /** The lowest version of each entity that a proposal may be based on. */
  entities: readonly EntityVersion[];
  /** Agents whose pending challenges are denied. */
  revokedAgentIds: readonly string[];
  call: Call;
}

/** Bounds the transaction that denies challenges, as it holds a lock that all commits wait for. */
const denialBatchSize = 32;
const maxRounds = 100;

/**
 * Once this resolves, no proposal based on an older version can be committed, and no challenge of
 * a revoked agent is pending. Idempotent: fences are never lowered.
 */
export async function raiseFences(
  context: Context,
  { entities, revokedAgentIds, call }: Fencing,
): Promise<void> {
  const { commits } = context.stores[call.environment];
  const ids = entities.map(({ entityId }) => entityId);
  const values = [ids, entities.map(({ version }) => version)];
  if (revokedAgentIds.length > 0) {
    await denyChallenges(context, [...values, revokedAgentIds], call);
  } else if (ids.length > 0) {
    await retryContended(attemptLimits(context, call), () => commits.query(fenceSql, values));
  }
}

async function denyChallenges(
  context: Context,
  values: readonly unknown[],
  call: Call,
): Promise<void> {
  const { stores, relays, clock } = context;
  const { commits } = stores[call.environment];
  const at = isoTime(clock());
  const format = denialFormat(call, at);
  for (let round = 0; round < maxRounds; round += 1) {
    const eventIds = Array.from({ length: denialBatchSize }, () => newId('event'));
    const { rows } = await retryContended(attemptLimits(context, call), () =>
      commits.query<{ denied: number }>(fenceAndDenySql, [...values, at, eventIds, format]),
    );
    const denied = rows[0]?.denied ?? 0;
    if (denied > 0) relays[call.environment].wake();
    if (denied < denialBatchSize) return;
  }
  throw unavailable('challenges of a revoked agent are still pending');
}

function denialFormat({ environment, requestId, trace }: Call, at: string): string {
  const [id, principalId, clientId] = [placeholder(1), placeholder(2), placeholder(3)];
  const record = {
    id: placeholder(4),
    clientId,
    principalId,
    agentId: placeholder(5),
    currency: placeholder(7),
  };
  const change = {
    amendment: 'STEP_UP_DENIED',
    decision: 'DECLINE',
    amount: placeholder(6),
  } as const;
  return eventFormat({
    ...amendedEvent(record, change, { environment, requestId, trace, at }),
    id,
  });
}

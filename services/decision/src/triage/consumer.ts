import type { BusEvent } from '@countersign/kernel/event';
import { inTransaction, type Pool, type PoolClient } from '@countersign/runtime/database';
import { unseen } from '@countersign/runtime/inbox';
import { addToOutbox } from '@countersign/runtime/outbox/add';
import { inGroups } from '@countersign/runtime/sharing/groups';
import { applyInput, type TriageState } from './apply.js';
import type { TriageMetrics } from './metrics.js';
import { lockState, writeState } from './state-store.js';
import type { TriageInput } from './triage-input.js';

const maxGroup = 64;
/** A case may open this much later than its decision. */
const defaultIntervalMs = 200;

interface TriageOptions {
  pool: Pool;
  counted: TriageMetrics;
  /** Called after a commit that left events in the outbox. */
  onAnnounced: () => void;
  /** Minimum interval between groups, in milliseconds. */
  everyMs?: number;
}

/**
 * Opens and resolves fraud cases and watches agents for takeover. Each event takes effect once:
 * the effect, the events announcing it, and the event's id in the inbox are one transaction. The
 * promise of an event resolves when that is committed, and rejects when it could not be.
 */
export function triageConsumer({
  pool,
  counted,
  onAnnounced,
  everyMs = defaultIntervalMs,
}: TriageOptions): (input: TriageInput) => Promise<void> {
  return inGroups<TriageInput>({ maxGroup, everyMs }, async (inputs) => {
    const state = await inTransaction(pool, (client) => triage(client, inputs));
    if (state === null) return;
    for (const event of state.announcements) counted.announced(event);
    if (state.announcements.length > 0) onAnnounced();
  });
}

async function triage(
  client: PoolClient,
  inputs: readonly TriageInput[],
): Promise<TriageState | null> {
  const fresh = new Set((await unseen(client, inputs.map(inboxEvent))).map(({ id }) => id));
  const unseenInputs = inputs.filter((input) => fresh.delete(inboxEvent(input).id));
  if (unseenInputs.length === 0) return null;
  const state = await lockState(client, unseenInputs);
  for (const input of unseenInputs) applyInput(state, input);
  await writeState(client, state);
  await addToOutbox(client, state.announcements);
  return state;
}

/** A separate id in the inbox, which the profiles use for the same events. */
function inboxEvent({ event }: TriageInput): BusEvent {
  return { ...event, id: `${event.id}.triage` };
}

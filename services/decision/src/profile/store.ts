import { canonicalJson } from '@countersign/kernel/canonical';
import { isoTime } from '@countersign/kernel/clock';
import type { BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import type { PoolClient } from '@countersign/runtime/database';
import { addToOutbox } from '@countersign/runtime/outbox';
import { profileSql } from '../sql.js';
import type { ProfileEntry } from './entry.js';
import { agentOf, learn, type ProfileEvent } from './learn.js';
import type { ProfileState } from './state.js';

interface HeldProfile {
  version: number;
  state: ProfileState | null;
  /** The score that was last announced; null before the first. */
  announced: number | null;
  /** What the announcement will say it followed from. */
  cause: ProfileEvent | null;
}

interface Held {
  profiles: Map<string, HeldProfile>;
  entries: Map<string, { agentId: string; entry: ProfileEntry }>;
}

/** Learns from events that are new, in one transaction: profiles, entries, and trust.changed. */
export async function learnAll(client: PoolClient, events: readonly ProfileEvent[]): Promise<void> {
  const teaching = events.filter((event) => agentOf(event) !== null);
  if (teaching.length === 0) return;
  const held = await hold(client, teaching);
  for (const event of teaching) learnOne(held, event);
  await write(client, held);
  await addToOutbox(client, announcements(held));
}

/** Locks the agents, then reads them: replicas take turns with one agent, never with all. */
async function hold(client: PoolClient, events: readonly ProfileEvent[]): Promise<Held> {
  const agentIds = [...new Set(events.map((event) => agentOf(event) ?? ''))];
  const authorizationIds = [...new Set(events.map(({ data }) => data.authorizationId))];
  await client.query(profileSql.lockAgents, [agentIds]);
  const profiles = await client.query(profileSql.readProfiles, [agentIds]);
  const entries = await client.query(profileSql.readEntries, [authorizationIds]);
  return {
    profiles: new Map(
      profiles.rows.map(({ agent_id, version, state, kya_score }) => [
        agent_id,
        { version, state, announced: kya_score, cause: null },
      ]),
    ),
    entries: new Map(
      entries.rows.map(({ authorization_id, agent_id, entry }) => [
        authorization_id,
        { agentId: agent_id, entry },
      ]),
    ),
  };
}

function learnOne(held: Held, event: ProfileEvent): void {
  const agentId = agentOf(event);
  if (agentId === null) return;
  const { authorizationId } = event.data;
  const profile = held.profiles.get(agentId);
  const { state, entry } = learn(event, {
    state: profile?.state ?? null,
    entry: held.entries.get(authorizationId)?.entry ?? null,
  });
  held.entries.set(authorizationId, { agentId, entry });
  if (!state) return;
  held.profiles.set(agentId, {
    version: (profile?.version ?? 0) + 1,
    state,
    announced: profile?.announced ?? null,
    cause: event,
  });
}

async function write(client: PoolClient, { profiles, entries }: Held): Promise<void> {
  const learnt = [...profiles].filter(([, { cause }]) => cause !== null);
  if (learnt.length > 0) {
    await client.query(profileSql.writeProfiles, [
      learnt.map(([agentId]) => agentId),
      learnt.map(([, { version }]) => version),
      learnt.map(([, { state }]) => canonicalJson(state)),
      learnt.map(([, { state }]) => state?.score?.value ?? 0),
    ]);
  }
  const told = [...entries];
  await client.query(profileSql.writeEntries, [
    told.map(([authorizationId]) => authorizationId),
    told.map(([, { agentId }]) => agentId),
    told.map(([, { entry }]) => canonicalJson(entry)),
  ]);
}

/** One announcement an agent and batch: between two of them nobody has seen the score. */
function announcements({ profiles }: Held): Array<BusEvent<'trust.changed'>> {
  return [...profiles].flatMap(([agentId, { state, announced, cause }]) => {
    if (!state?.score || !cause || state.score.value === announced) return [];
    const { environment, principalId, clientId, requestId, data } = cause;
    return {
      id: newId('event'),
      type: 'trust.changed',
      environment,
      principalId,
      clientId,
      requestId,
      occurredAt: isoTime(state.asOf),
      data: {
        agentId,
        authorizationId: data.authorizationId,
        previousTrustLevel: state.seen.trustLevel,
        newTrustLevel: state.seen.trustLevel,
        promoted: false,
        kyaScore: state.score.value,
      },
    };
  });
}

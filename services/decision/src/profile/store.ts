import type { BusEvent } from '@countersign/kernel/event';
import type { ResolvedThresholds } from '@countersign/kernel/trust';
import type { PoolClient } from '@countersign/runtime/database';
import { addToOutbox } from '@countersign/runtime/outbox';
import { profileSql } from '../sql.js';
import { asOverrides } from '../thresholds/store.js';
import { publicThresholds, resolveThresholds } from '../thresholds/table.js';
import { announce, type TrustStep } from './announcement.js';
import { emptyEntry, type ProfileEntry } from './entry.js';
import { merchantMadeKnown, type Patronage, writeMerchants } from './known-merchants.js';
import { agentOf, learn, type ProfileEvent } from './learn.js';
import type { ProfileState } from './state.js';
import { levelAfter, trustOf } from './trust.js';

interface HeldProfile {
  version: number;
  state: ProfileState | null;
  steps: TrustStep[];
  /** Set where an event taught something. */
  learnt: boolean;
}

interface Held {
  profiles: Map<string, HeldProfile>;
  entries: Map<string, { agentId: string; entry: ProfileEntry }>;
  /** By Principal, where it has set any. */
  thresholds: Map<string, ResolvedThresholds>;
  learnt: Patronage[];
  takenBack: Patronage[];
}

/** Learns from events that are new, in one transaction: profiles, entries, and trust.changed. */
export async function learnAll(client: PoolClient, events: readonly ProfileEvent[]): Promise<void> {
  const teaching = events.filter((event) => agentOf(event) !== null);
  if (teaching.length === 0) return;
  const held = await hold(client, teaching);
  for (const event of teaching) learnOne(held, event);
  const announcements = announceAll(held);
  await write(client, held);
  await writeMerchants(client, held);
  await addToOutbox(client, announcements);
}

/** Locks the agents, then reads them: replicas take turns with one agent, never with all. */
async function hold(client: PoolClient, events: readonly ProfileEvent[]): Promise<Held> {
  const agentIds = [...new Set(events.map((event) => agentOf(event) ?? ''))];
  const authorizationIds = [...new Set(events.map(({ data }) => data.authorizationId))];
  const principalIds = [...new Set(events.map(({ principalId }) => principalId ?? ''))];
  await client.query(profileSql.lockAgents, [agentIds]);
  const profiles = await client.query(profileSql.readProfiles, [agentIds]);
  const entries = await client.query(profileSql.readEntries, [authorizationIds]);
  const overrides = await client.query(profileSql.readOverrides, [principalIds]);
  return {
    profiles: new Map(
      profiles.rows.map(({ agent_id, version, state }) => [
        agent_id,
        { version, state, steps: [], learnt: false },
      ]),
    ),
    entries: new Map(
      entries.rows.map(({ authorization_id, agent_id, entry }) => [
        authorization_id,
        { agentId: agent_id, entry },
      ]),
    ),
    thresholds: new Map(
      overrides.rows.map((row) => [row.principal_id, resolved(row.overrides)] as const),
    ),
    learnt: [],
    takenBack: [],
  };
}

function resolved(overrides: unknown): ResolvedThresholds {
  return publicThresholds(resolveThresholds(asOverrides(overrides)));
}

const defaults = resolved({});

function learnOne(held: Held, event: ProfileEvent): void {
  const agentId = agentOf(event);
  if (agentId === null) return;
  const { authorizationId } = event.data;
  const profile = held.profiles.get(agentId);
  const known = held.entries.get(authorizationId)?.entry ?? null;
  const { state, entry } = learn(event, { state: profile?.state ?? null, entry: known });
  held.entries.set(authorizationId, { agentId, entry });
  const change = { before: known ?? emptyEntry, after: entry };
  noteMerchant(held, { agentId, authorizationId, ...change });
  if (!state) return;
  const thresholds = held.thresholds.get(event.principalId ?? '') ?? defaults;
  const from = trustOf(state);
  const to = levelAfter(state, change, thresholds);
  const step = { from: from.level, to, kyaScore: state.score?.value ?? null, cause: event };
  held.profiles.set(agentId, {
    version: (profile?.version ?? 0) + 1,
    state: { ...state, trust: { ...from, level: to } },
    steps: [...(profile?.steps ?? []), ...(to === from.level ? [] : [step])],
    learnt: true,
  });
}

function noteMerchant({ learnt, takenBack }: Held, { before, after, ...patron }: Noted): void {
  const [was, is] = [merchantMadeKnown(before), merchantMadeKnown(after)];
  if (is !== null && was === null) learnt.push({ ...patron, merchant: is });
  if (was !== null && is === null) takenBack.push({ ...patron, merchant: was });
}

interface Noted {
  agentId: string;
  authorizationId: string;
  before: ProfileEntry;
  after: ProfileEntry;
}

/** What there is to tell, noted in the states before these are written. */
function announceAll({ profiles }: Held): Array<BusEvent<'trust.changed'>> {
  return [...profiles].flatMap(([agentId, profile]) => {
    if (!profile.state || profile.steps.length === 0) return [];
    const { state, events } = announce(agentId, profile.state, profile.steps);
    profile.state = state;
    return events;
  });
}

async function write(client: PoolClient, { profiles, entries }: Held): Promise<void> {
  const learnt = [...profiles].filter(([, profile]) => profile.learnt);
  if (learnt.length > 0) {
    await client.query(profileSql.writeProfiles, [
      learnt.map(([agentId]) => agentId),
      learnt.map(([, { version }]) => version),
      learnt.map(([, { state }]) => JSON.stringify(state)),
    ]);
  }
  const told = [...entries];
  await client.query(profileSql.writeEntries, [
    told.map(([authorizationId]) => authorizationId),
    told.map(([, { agentId }]) => agentId),
    told.map(([, { entry }]) => JSON.stringify(entry)),
  ]);
}

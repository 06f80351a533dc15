import { readFileSync } from 'node:fs';
import { isRecord } from '@countersign/kernel/is-record';
import type { Thresholds } from '@countersign/kernel/threshold';
import type { Facts, MandateFacts } from '../facts/shape.js';
import { relevantMandates } from '../mandate-choice.js';
import { emptyState, type Mark, type MarkKind, type ProfileState } from '../profile/state.js';
import { defaultThresholds } from '../thresholds/table.js';

export const casesFolder = new URL('../../cases/', import.meta.url);

/** Differences from `cases/base.json`: objects are merged, other values are replaced. */
export interface FactsPatch {
  facts?: object;
  /** Each is merged with the mandate of the base; newest first. */
  mandates?: object[];
  thresholds?: Partial<Thresholds>;
  past?: PastPatch;
}

interface PastPatch {
  decayed?: Partial<ProfileState['decayed']>;
  totals?: Partial<ProfileState['totals']>;
  marks?: Partial<Record<MarkKind, Array<{ authorizationId: string; at: string }>>>;
}

const base = JSON.parse(readFileSync(new URL('base.json', casesFolder), 'utf8')) as Facts;

export function factsOf(patch: FactsPatch): Facts {
  const facts = merge(base, patch.facts ?? {}) as Facts;
  const mandates = (patch.mandates ?? [{}]).map(
    (mandate) => merge(base.mandates[0], mandate) as MandateFacts,
  );
  return {
    ...facts,
    mandates: relevantMandates(mandates, facts.payment.rail, facts.decidedAt),
    thresholds: { ...defaultThresholds, ...patch.thresholds },
    profile: patch.past ? { version: 1, state: pastOf(facts, patch.past) } : null,
  };
}

function pastOf(facts: Facts, past: PastPatch): ProfileState {
  const state = emptyState(Date.parse(facts.decidedAt), {
    trustLevel: 'REGISTERED',
    agentCreatedAt: facts.agent?.createdAt ?? facts.decidedAt,
    principalVerified: true,
    keyRegistered: false,
  });
  const marks = Object.entries(past.marks ?? {}).map(([kind, list]) => [
    kind,
    list.map(({ authorizationId, at }): Mark => ({ authorizationId, at: Date.parse(at) })),
  ]);
  return {
    ...state,
    decayed: { ...state.decayed, ...past.decayed },
    totals: { ...state.totals, ...past.totals },
    marks: { ...state.marks, ...Object.fromEntries(marks) },
  };
}

function merge(under: unknown, over: unknown): unknown {
  if (!isRecord(under) || !isRecord(over)) return over;
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) merged[key] = merge(under[key], value);
  return merged;
}

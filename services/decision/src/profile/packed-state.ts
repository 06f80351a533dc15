import type { TrustLevel } from '@countersign/kernel/trust';
import {
  type DecayedCounter,
  noMarks,
  noOutcomes,
  type ProfileState,
  type Totals,
} from './state.js';

/**
 * A state as it is stored in its row and in records: a list instead of an object, whose member
 * names would be most of its size, without what hardly any agent has. Stored states outlive the
 * code, so fields may be appended, never moved.
 */
export type PackedState = [
  asOf: number,
  decayed: number[],
  totals: number[],
  score: [value: number, at: number] | null,
  seen: [string, string, boolean, boolean],
  trust: [level: TrustLevel, toldAt: number],
  outcomeCounts?: Record<string, number>,
  marks?: Partial<ProfileState['marks']>,
];

const counters = [
  'complianceGood',
  'complianceBad',
  'outcomeGood',
  'outcomeBad',
  'consistencySum',
  'consistencyCount',
  'approvals',
  'verifiedApprovals',
  'chargeable',
  'chargebacks',
] as const satisfies DecayedCounter[];
const sums = ['total', 'approved', 'declined', 'successful'] as const satisfies Array<keyof Totals>;

export function packState(state: ProfileState): string {
  return JSON.stringify(packed(state));
}

export function packed(state: ProfileState): PackedState {
  const { asOf, decayed, totals, score, seen, trust } = state;
  const list: PackedState = [
    asOf,
    counters.map((counter) => decayed[counter]),
    sums.map((sum) => totals[sum]),
    score && [score.value, score.at],
    [seen.trustLevel, seen.agentCreatedAt, seen.principalVerified, seen.keyRegistered],
    [trust.level, trust.toldAt],
  ];
  if (isMarked(state.marks) || Object.keys(state.outcomeCounts).length > 0) {
    list.push(state.outcomeCounts, state.marks);
  }
  return list;
}

function isMarked({ fraud, unauthorized, chargeback, keyFailure }: ProfileState['marks']): boolean {
  return fraud.length + unauthorized.length + chargeback.length + keyFailure.length > 0;
}

/** Reads what `packState` wrote. */
export function unpackState(content: string): ProfileState {
  return unpacked(JSON.parse(content) as PackedState);
}

export function unpacked(list: PackedState): ProfileState {
  const [asOf, decayed, totals, score, seen, trust, outcomeCounts = noOutcomes, marks] = list;
  const [trustLevel, agentCreatedAt, principalVerified, keyRegistered] = seen;
  return {
    asOf,
    decayed: named(counters, decayed),
    totals: named(sums, totals),
    outcomeCounts,
    marks: marks ? { ...noMarks, ...marks } : noMarks,
    score: score && { value: score[0], at: score[1] },
    seen: { trustLevel, agentCreatedAt, principalVerified, keyRegistered },
    trust: { level: trust[0], toldAt: trust[1] },
  };
}

function named<Name extends string>(
  names: readonly Name[],
  values: readonly number[],
): Record<Name, number> {
  const record = {} as Record<Name, number>;
  for (const [place, name] of names.entries()) record[name] = values[place] ?? 0;
  return record;
}

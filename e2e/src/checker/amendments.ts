import { amountText, units } from './amount.js';
import type { Snapshot } from './snapshot.js';

/** What somebody who wanted a decision changed was told of it; a 503 leaves it unknown. */
export type SeenAmendment = { id: string } & (
  | { kind: 'CONFIRMED' | 'DENIED' | 'UNKNOWN' }
  /** `released` is what this call gave back: 0 where nothing was left, or reserved. */
  | { kind: 'REVERSED'; released: string }
);

/**
 * Everything that somebody was told to have changed did change, once, and nothing that nobody was
 * told: each challenge has the one answer that was acknowledged, and what was given back of an
 * authorization is the sum of what callers were told. Of what is unknown there may be more,
 * and what the system gave back by itself is not asked about here.
 */
export function* amendmentViolations(
  { records, stepUpAnswers, reversals }: Snapshot,
  seen: readonly SeenAmendment[],
): Generator<string> {
  const told = toldOf(seen);
  const answers = new Map(stepUpAnswers.map(({ id, status }) => [id, status]));
  const asked = reversals.filter(({ requestedBy }) => requestedBy !== 'system');
  const given = sums(asked.map(({ authorizationId, amount }) => [authorizationId, amount]));
  for (const { id, amount } of records) {
    const kinds = told.kinds.get(id)?.join() ?? 'nothing';
    const unknown = told.unknown.has(id);
    const onRecord = answers.get(id) ?? 'nothing';
    if (kinds !== onRecord && !(unknown && kinds === 'nothing'))
      yield `${id} was told ${kinds}; on record is ${onRecord}`;
    const reversal = { released: told.released.get(id) ?? 0n, given: given.get(id) ?? 0n, unknown };
    yield* reversalViolations(id, units(amount), reversal);
  }
}

function* reversalViolations(
  id: string,
  amount: bigint,
  { released, given, unknown }: { released: bigint; given: bigint; unknown: boolean },
): Generator<string> {
  if (unknown ? released > given : released !== given)
    yield `${id} gave back ${amountText(given)}; told was ${amountText(released)}`;
  if (released > amount) yield `${id} gave back more than it had`;
}

function toldOf(seen: readonly SeenAmendment[]) {
  const kinds = new Map<string, string[]>();
  for (const { id, kind } of seen) {
    if (kind === 'CONFIRMED' || kind === 'DENIED') kinds.set(id, [...(kinds.get(id) ?? []), kind]);
  }
  const released = seen.flatMap((each) =>
    each.kind === 'REVERSED' ? [[each.id, each.released] as const] : [],
  );
  const unknown = seen.filter(({ kind }) => kind === 'UNKNOWN').map(({ id }) => id);
  return { kinds, released: sums(released), unknown: new Set(unknown) };
}

function sums(amounts: ReadonlyArray<readonly [id: string, amount: string]>): Map<string, bigint> {
  const sum = new Map<string, bigint>();
  for (const [id, amount] of amounts) sum.set(id, (sum.get(id) ?? 0n) + units(amount));
  return sum;
}

import { amountText, units } from './amount.js';
import type { Snapshot } from './snapshot.js';

/** A change of a decision as acknowledged to the caller; a 503 leaves its effect unknown. */
export type SeenAmendment = { id: string } & (
  | { kind: 'CONFIRMED' | 'DENIED' | 'UNKNOWN' }
  /** `released` is the amount released by this call: 0 if nothing was left, or reserved. */
  | { kind: 'REVERSED'; released: string }
);

/**
 * Checks that acknowledged changes took effect exactly once and that there are no others: each
 * challenge has the one answer that was acknowledged, and the amount released of an authorization
 * is the sum of what callers were told. With unknown outcomes there may be more, and releases by
 * the system itself are not checked here.
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

import { amountText, units } from './amount.js';
import type { RecordRow, Snapshot } from './snapshot.js';

/** Limits of a mandate in a window; absent ones are unlimited. */
export interface Limits {
  dailyAmount?: string;
  monthlyAmount?: string;
  dailyCount?: number;
  monthlyCount?: number;
}

/** The amount reserved by one record, net of reversals. */
interface Reserved {
  record: RecordRow;
  mandateId: string;
  day: string;
  amount: bigint;
  count: number;
  /** Part of it was reversed, or it was reserved by a confirmation. */
  disturbed: boolean;
}

interface Sum {
  amount: bigint;
  count: number;
}

/**
 * Recomputes every window of every mandate from the appended rows: no sum above a limit, stored
 * counters equal to the sums, and correct counters in every approval.
 */
export function* usageViolations(
  snapshot: Snapshot,
  agreed: ReadonlyMap<string, Limits>,
): Generator<string> {
  const reserved = snapshot.records.flatMap((record) => reservationOf(record, snapshot));
  yield* reversalViolations(snapshot, reserved);
  for (const [mandateId, own] of groupBy(reserved, (each) => each.mandateId)) {
    const limits = agreed.get(mandateId) ?? limitsOnRecord(own);
    const days = sumBy(own, ({ day }) => day);
    const months = sumBy(own, ({ day }) => day.slice(0, 7));
    const daily = { amount: limits.dailyAmount, count: limits.dailyCount };
    const monthly = { amount: limits.monthlyAmount, count: limits.monthlyCount };
    for (const [day, sum] of days) yield* above(sum, daily, `${mandateId} on ${day}`);
    for (const [month, sum] of months) yield* above(sum, monthly, `${mandateId} in ${month}`);
    yield* storedViolations(snapshot, mandateId, { days, months });
    for (const each of own) yield* answeredAbove(each.record, limits);
    for (const sameDay of groupBy(own, ({ day }) => day).values()) yield* orderViolations(sameDay);
  }
  const spenders = new Set(reserved.map(({ mandateId }) => mandateId));
  for (const usage of snapshot.usages) {
    const used = [usage.dayAmount, usage.dayCount, usage.monthAmount, usage.monthCount];
    if (!spenders.has(usage.mandateId) && used.some((text) => units(text) !== 0n))
      yield `${usage.mandateId} has used something, and nothing was approved`;
  }
}

const indexes = new WeakMap<Snapshot, ReturnType<typeof indexOf>>();

function indexOf({ stepUpAnswers, reversals, voids }: Snapshot) {
  return {
    confirmed: new Map(stepUpAnswers.map(({ id, countedDay }) => [id, countedDay])),
    reversals: groupBy(reversals, ({ authorizationId }) => authorizationId),
    voided: new Set(voids.map(({ id }) => id)),
  };
}

function indexed(snapshot: Snapshot): ReturnType<typeof indexOf> {
  const known = indexes.get(snapshot) ?? indexOf(snapshot);
  indexes.set(snapshot, known);
  return known;
}

function reservationOf(record: RecordRow, snapshot: Snapshot): Reserved[] {
  const { confirmed, reversals } = indexed(snapshot);
  const day = record.countedDay ?? confirmed.get(record.id) ?? null;
  const { mandateId } = record;
  if (day === null || mandateId === null) return [];
  const given = reversals.get(record.id) ?? [];
  const released = given.reduce((sum, { amount }) => sum + units(amount), 0n);
  return [
    {
      record,
      mandateId,
      day,
      amount: units(record.amount) - released,
      count: given.some(({ countReleased }) => countReleased) ? 0 : 1,
      disturbed: given.length > 0 || record.countedDay === null,
    },
  ];
}

function* reversalViolations(snapshot: Snapshot, reserved: Reserved[]): Generator<string> {
  const { reversals, voided } = indexed(snapshot);
  const known = new Set(reserved.map(({ record }) => record.id));
  for (const [id, given] of reversals) {
    if (!known.has(id)) yield `${id} was reversed and had reserved nothing`;
    if (given.filter(({ countReleased }) => countReleased).length > 1)
      yield `${id} gave its count back twice`;
  }
  for (const { record, amount, count } of reserved) {
    if (amount < 0n) yield `${record.id} gave back more than it had reserved`;
    if (voided.has(record.id) && (amount !== 0n || count !== 0))
      yield `${record.id} is void and still reserves ${amountText(amount)}`;
  }
}

function limitsOnRecord(reserved: Reserved[]): Limits {
  const strictest = (values: Array<string | null>): string | undefined =>
    values
      .flatMap((value) => value ?? [])
      .sort((a, b) => (units(a) < units(b) ? -1 : 1))
      .at(0);
  const records = reserved.map(({ record }) => record);
  const dailyCount = strictest(records.map((each) => each.dailyCountLimit));
  const monthlyCount = strictest(records.map((each) => each.monthlyCountLimit));
  const dailyAmount = strictest(records.map((each) => each.dailyAmountLimit));
  const monthlyAmount = strictest(records.map((each) => each.monthlyAmountLimit));
  return {
    ...(dailyAmount !== undefined && { dailyAmount }),
    ...(monthlyAmount !== undefined && { monthlyAmount }),
    ...(dailyCount !== undefined && { dailyCount: Number(dailyCount) }),
    ...(monthlyCount !== undefined && { monthlyCount: Number(monthlyCount) }),
  };
}

interface WindowLimit {
  amount: string | undefined;
  count: number | undefined;
}

function* above(sum: Sum, { amount, count }: WindowLimit, where: string): Generator<string> {
  if (amount !== undefined && sum.amount > units(amount))
    yield `${where}: ${amountText(sum.amount)} approved of at most ${amount}`;
  if (count !== undefined && sum.count > count)
    yield `${where}: ${sum.count} approved of at most ${count}`;
}

interface Windows {
  days: ReadonlyMap<string, Sum>;
  months: ReadonlyMap<string, Sum>;
}

/** The stored row must belong to the newest window with reservations and equal its sums. */
function* storedViolations(
  { usages }: Snapshot,
  mandateId: string,
  { days, months }: Windows,
): Generator<string> {
  const stored = usages.find((usage) => usage.mandateId === mandateId);
  const day = [...days.keys()].sort().at(-1) ?? '';
  const month = day.slice(0, 7);
  const today = days.get(day);
  const thisMonth = months.get(month);
  const expected = [day, today?.amount, today?.count, month, thisMonth?.amount, thisMonth?.count];
  const found = stored && [
    stored.day,
    units(stored.dayAmount),
    Number(stored.dayCount),
    stored.month,
    units(stored.monthAmount),
    Number(stored.monthCount),
  ];
  if (found?.join() !== expected.join())
    yield `${mandateId} stores usage ${found?.join(' ')}, its records say ${expected.join(' ')}`;
}

interface Counters {
  daily_amount_used: string;
  monthly_amount_used: string;
  daily_count_used: number;
  monthly_count_used: number;
}

/**
 * Later reversals may hide a limit that was exceeded temporarily, so the answers are checked too.
 */
function* answeredAbove({ id, decision, answer }: RecordRow, limits: Limits): Generator<string> {
  if (decision !== 'APPROVE') return;
  const used = JSON.parse(answer) as Counters;
  const day = { amount: units(used.daily_amount_used), count: used.daily_count_used };
  const month = { amount: units(used.monthly_amount_used), count: used.monthly_count_used };
  yield* above(day, { amount: limits.dailyAmount, count: limits.dailyCount }, `after ${id}`);
  yield* above(month, { amount: limits.monthlyAmount, count: limits.monthlyCount }, `after ${id}`);
}

/** Without reversals, the approvals of a day count 1 to n with matching sums. */
function* orderViolations(sameDay: Reserved[]): Generator<string> {
  if (sameDay.some(({ disturbed }) => disturbed)) return;
  const steps = sameDay
    .map(({ record }) => ({ record, used: JSON.parse(record.answer) as Counters }))
    .sort((a, b) => a.used.daily_count_used - b.used.daily_count_used);
  let sum = 0n;
  for (const [index, { record, used }] of steps.entries()) {
    sum += units(record.amount);
    if (used.daily_count_used !== index + 1 || units(used.daily_amount_used) !== sum) {
      yield `${record.id} says it was number ${used.daily_count_used} of its day, with
        ${used.daily_amount_used}; it was number ${index + 1}, with ${amountText(sum)}`;
      return;
    }
  }
}

function sumBy(reserved: Reserved[], windowOf: (each: Reserved) => string): Map<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const each of reserved) {
    const sum = sums.get(windowOf(each)) ?? { amount: 0n, count: 0 };
    sums.set(windowOf(each), { amount: sum.amount + each.amount, count: sum.count + each.count });
  }
  return sums;
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

import { amountText, units } from './amount.js';
import type { RecordRow, Snapshot } from './snapshot.js';

interface Event {
  id: string;
  type: string;
  data: Record<string, string>;
}

/**
 * Checks that the outbox contains exactly one event for each record and each appended fact, and (if
 * given) that the delivered events are the same, each at least once.
 */
export function* eventViolations(
  snapshot: Snapshot,
  delivered: readonly string[] | null,
): Generator<string> {
  const outbox = distinct(snapshot.outbox.map(({ payload }) => payload));
  yield* outbox.violations;
  yield* difference([...outbox.events.values()].map(factOf), expectedFacts(snapshot));
  yield* idViolations(snapshot, outbox.events);
  if (delivered === null) return;
  const arrived = distinct(delivered.filter(isOfLedger));
  yield* arrived.violations;
  for (const [id, event] of outbox.events) {
    const same = arrived.events.get(id);
    if (!same) yield `${id} (${factOf(event)}) was never delivered`;
    else if (JSON.stringify(same) !== JSON.stringify(event)) yield `${id} was delivered changed`;
  }
  for (const [id, event] of arrived.events) {
    if (!outbox.events.has(id)) yield `${id} (${factOf(event)}) was delivered out of nowhere`;
  }
}

/** Identity and decision publish to the same stream. */
function isOfLedger(payload: string): boolean {
  return /^(authorization|outcome)\./.test((JSON.parse(payload) as Event).type);
}

/** Deduplicates by event id, like every consumer; the same id must always have the same content. */
function distinct(payloads: readonly string[]): {
  events: Map<string, Event>;
  violations: string[];
} {
  const texts = new Map<string, string>();
  const violations: string[] = [];
  for (const text of payloads) {
    const { id } = JSON.parse(text) as Event;
    if ((texts.get(id) ?? text) !== text) violations.push(`${id} says two things`);
    texts.set(id, text);
  }
  const events = new Map([...texts].map(([id, text]) => [id, JSON.parse(text) as Event]));
  return { events, violations };
}

/** An event as one line, with everything that has to agree with the appended fact. */
function factOf({ type, data }: Event): string {
  const { authorizationId, amendment, decision, amount = '0', outcomeType } = data;
  const size = amountText(units(amount));
  if (type === 'outcome.recorded') return `${authorizationId} outcome ${outcomeType}`;
  if (type === 'authorization.amended') return `${authorizationId} ${amendment} ${size}`;
  return `${authorizationId} ${decision} ${size}`;
}

function expectedFacts(snapshot: Snapshot): string[] {
  const { records, stepUpAnswers, expired, reversals, voids, outcomes } = snapshot;
  const byId = new Map(records.map((record) => [record.id, record]));
  const sizeOf = (id: string): string => amountText(units(byId.get(id)?.amount ?? '0'));
  const voided = new Set(voids.map(({ id }) => id));
  const isSafe = (record?: RecordRow): boolean => record?.reasonCodes.join() === 'SYSTEM_FAIL_SAFE';
  return [
    ...records.map(({ id, decision }) => `${id} ${decision} ${sizeOf(id)}`),
    ...stepUpAnswers.map(({ id, status }) => `${id} STEP_UP_${status} ${sizeOf(id)}`),
    ...expired.map(({ id }) => `${id} STEP_UP_EXPIRED ${sizeOf(id)}`),
    ...reversals
      .filter(({ amount }) => units(amount) !== 0n)
      .filter(({ authorizationId, requestedBy, reason }) => {
        const ofVoid = requestedBy === 'system' && reason === 'SYSTEM_FAIL_SAFE';
        return !(ofVoid && voided.has(authorizationId));
      })
      .map((each) => `${each.authorizationId} REVERSED ${amountText(units(each.amount))}`),
    ...voids
      .filter(({ id }) => !isSafe(byId.get(id)))
      .flatMap(({ id }) => [`${id} VOIDED ${sizeOf(id)}`, `${id} DECLINE ${sizeOf(id)}`]),
    ...outcomes.map(({ id, outcomeType }) => `${id} outcome ${outcomeType}`),
  ];
}

/** Compares as multisets. */
function* difference(found: string[], expected: string[]): Generator<string> {
  const surplus = new Map<string, number>();
  for (const fact of found) surplus.set(fact, (surplus.get(fact) ?? 0) + 1);
  for (const fact of expected) surplus.set(fact, (surplus.get(fact) ?? 0) - 1);
  for (const [fact, count] of surplus) {
    if (count > 0) yield `${count} events too many: ${fact}`;
    if (count < 0) yield `${-count} events are missing: ${fact}`;
  }
}

/**
 * Event ids of records are derived from the record's id, so that a retry cannot create a second
 * event.
 */
function* idViolations(
  { records }: Snapshot,
  events: ReadonlyMap<string, Event>,
): Generator<string> {
  for (const { id } of records) {
    const event = events.get(id.replace('auth_', 'evt_'));
    if (event?.data.authorizationId !== id) yield `${id} has no event of its own id`;
  }
}

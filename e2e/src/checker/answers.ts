import type { RecordRow, Snapshot } from './snapshot.js';
import { groupBy } from './usage.js';

/** An answer to POST /authorize as its caller received it. */
export interface SeenAnswer {
  principalId: string;
  /** Null if none was sent. */
  key: string | null;
  status: number;
  /** The body, byte for byte. */
  text: string;
  /** Epoch milliseconds. */
  sentAt: number;
  receivedAt: number;
}

export interface AnswerFigures {
  answers: number;
  records: number;
  approvals: number;
  /** Fail-safe answers that are recorded under their ids. */
  safeOnRecord: number;
  /** Fail-safe answers to replays that could not be looked up; they are not decisions. */
  safeUnrecorded: number;
  voids: number;
  /** Answers that were superseded by an earlier one with the same key. */
  overruled: number;
}

interface Answered {
  id: string;
  decision: string;
  reasonCodes: string[];
  seen: SeenAnswer;
}

/** What is recorded. */
interface Truth {
  /** By id: the recorded answer of the authorization. */
  texts: ReadonlyMap<string, string>;
  /** By Principal and key: the authorization whose answer is the first. */
  holders: ReadonlyMap<string, RecordRow>;
}

export function answered(answers: readonly SeenAnswer[]): Answered[] {
  return answers
    .filter(({ status }) => status === 200)
    .map((seen) => {
      const body = JSON.parse(seen.text);
      const { authorization_id: id, decision, reason_codes: reasonCodes } = body;
      return { id, decision, reasonCodes, seen };
    });
}

export function truthOf({ records, voids, firstAnswers }: Snapshot): Truth {
  const voided = new Map(voids.map(({ id, answer }) => [id, answer]));
  const byId = new Map(records.map((record) => [record.id, record]));
  const holders = new Map<string, RecordRow>();
  for (const record of records) {
    if (record.key !== null) holders.set(`${record.principalId} ${record.key}`, record);
  }
  // Reversed, so that the earliest is set last and remains.
  for (const { id, principalId, key } of [...firstAnswers].reverse()) {
    const record = byId.get(id);
    if (record) holders.set(`${principalId} ${key}`, record);
  }
  const texts = new Map(records.map(({ id, answer }) => [id, voided.get(id) ?? answer]));
  return { texts, holders };
}

export function isSafe({ reasonCodes }: Pick<Answered, 'reasonCodes'>): boolean {
  return reasonCodes.includes('SYSTEM_FAIL_SAFE');
}

/**
 * True if the record accounts for a fail-safe answer: it is recorded under its id, or the key had
 * been decided before this answer, which then was a replay that could not be looked up.
 */
export function isAccounted({ id, seen }: Answered, { texts, holders }: Truth): boolean {
  if (texts.has(id)) return texts.get(id) === seen.text;
  const holder = seen.key === null ? undefined : holders.get(`${seen.principalId} ${seen.key}`);
  return holder !== undefined && Number(holder.createdAt) <= seen.receivedAt;
}

/**
 * Checks that every answer is recorded under its id, that every key has one answer, and that there
 * is no record without an answer (if the answers are `complete`).
 */
export function* answerViolations(
  snapshot: Snapshot,
  answers: readonly SeenAnswer[],
  options: { complete: boolean; overruling: boolean },
): Generator<string> {
  for (const { status, text } of answers) {
    if (status >= 500) yield `answered ${status}: ${text.slice(0, 200)}`;
  }
  const truth = truthOf(snapshot);
  const all = answered(answers);
  for (const each of all) yield* recordViolations(each, truth);
  const keyed = all.filter(({ seen }) => seen.key !== null);
  const byKey = groupBy(keyed, ({ seen }) => `${seen.principalId} ${seen.key}`);
  for (const [key, own] of byKey) {
    for (const each of own) yield* keyViolations(each, own, { key, truth, ...options });
  }
  yield* decisionViolations(snapshot);
  yield* challengeViolations(snapshot);
  if (options.complete) yield* untoldViolations(snapshot, answers, truth);
}

function* recordViolations(each: Answered, truth: Truth): Generator<string> {
  const { id, decision, seen } = each;
  const onRecord = truth.texts.get(id);
  if (isSafe(each) ? isAccounted(each, truth) : onRecord === seen.text) return;
  const found = onRecord === undefined ? 'nothing' : onRecord.slice(0, 200);
  yield `${id} was answered ${decision}; on record is ${found}`;
}

interface KeyContext {
  key: string;
  truth: Truth;
  complete: boolean;
  overruling: boolean;
}

function* keyViolations(
  each: Answered,
  own: Answered[],
  { key, truth, complete, overruling }: KeyContext,
): Generator<string> {
  const holder = truth.holders.get(key);
  const first = holder && truth.texts.get(holder.id);
  if (first === undefined) {
    yield `${key} was answered, and has no answer on record`;
    return;
  }
  if (each.seen.text === first) return;
  if (isSafe(each) && !truth.texts.has(each.id)) return;
  // Decided while the first answer was in flight, or without the key being known.
  const told = own.filter(({ seen }) => seen.text === first);
  const overlapped = told.every(({ seen }) => each.seen.sentAt <= seen.receivedAt);
  const wasFirst = told.length > 0 || !complete;
  if (truth.texts.has(each.id) && wasFirst && (overlapped || overruling)) return;
  yield `${key} was answered ${each.id} (${each.decision}), and first ${holder?.id}`;
}

function* decisionViolations({ records }: Snapshot): Generator<string> {
  const keyed = records.filter(({ key }) => key !== null);
  for (const [key, same] of groupBy(keyed, (each) => `${each.principalId} ${each.key}`)) {
    if (same.length > 1) yield `${key} was decided ${same.length} times`;
  }
  for (const { id, decision, countedDay } of records) {
    if ((decision === 'APPROVE') !== (countedDay !== null)) yield `${id} is reserved wrongly`;
  }
}

function* challengeViolations(snapshot: Snapshot): Generator<string> {
  const answers = new Set(snapshot.stepUpAnswers.map(({ id }) => id));
  const over = new Set([...answers, ...snapshot.voids.map(({ id }) => id)]);
  const pending = new Set(snapshot.pending);
  for (const { id, decision } of snapshot.records) {
    const open = decision === 'STEP_UP' && !over.has(id);
    if (open !== pending.has(id)) yield `${id} ${open ? 'does not wait' : 'waits'} for an answer`;
    if (answers.has(id) && decision !== 'STEP_UP') yield `${id} was no challenge, and is answered`;
  }
  for (const { id, status, countedDay } of snapshot.stepUpAnswers) {
    if ((status === 'CONFIRMED') !== (countedDay !== null)) yield `${id} is reserved wrongly`;
  }
}

function* untoldViolations(
  { records }: Snapshot,
  answers: readonly SeenAnswer[],
  { texts }: Truth,
): Generator<string> {
  const told = new Set(answers.map(({ text }) => text));
  const principals = new Set(answers.map(({ principalId }) => principalId));
  for (const { id, principalId, decision } of records) {
    const text = texts.get(id) ?? '';
    if (principals.has(principalId) && !told.has(text))
      yield `${id} (${decision}) is on record, and nobody was told`;
  }
}

export function answerFigures(snapshot: Snapshot, answers: readonly SeenAnswer[]): AnswerFigures {
  const truth = truthOf(snapshot);
  const all = answered(answers);
  const safe = [...new Map(all.filter(isSafe).map((each) => [each.id, each])).values()];
  const onRecord = safe.filter(({ id }) => truth.texts.has(id)).length;
  return {
    answers: answers.length,
    records: snapshot.records.length,
    approvals: snapshot.records.filter(({ decision }) => decision === 'APPROVE').length,
    safeOnRecord: onRecord,
    safeUnrecorded: safe.length - onRecord,
    voids: snapshot.voids.length,
    overruled: snapshot.firstAnswers.length,
  };
}

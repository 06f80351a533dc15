import type { Environment } from '@countersign/kernel/environment';
import type { RateGroup } from '../request.js';
import { type RateLimit, type RateState, rateLimit, unlimited } from './rate-limits.js';

/** Whose bucket and whose version; `id` is of a credential. */
export interface Subject {
  id: string;
  environment: Environment;
}

export interface GateAnswer {
  /** Null for what has no limit. */
  rate: RateState | null;
  /** What is known of the credential's version; null when Redis is away or does not know. */
  version: number | null;
  fresh: boolean;
  /** Allows this asker to fill in the version it reads from the database; null for the others. */
  lease: string | null;
}

export interface Question {
  subject: Subject;
  group: RateGroup;
  /** False where nothing is taken from the bucket: whoever asks is refused in any case. */
  taking: boolean;
}

/** Those of one turn that ask for the same credential and bucket; they make one call. */
export interface Shared extends Question {
  bucket: string;
  /** Of each among all that ask. */
  places: number[];
}

export type BucketReply = [number, number, number, number];
export type GateReply = [version: string, fresh: number, leased: number, taken: BucketReply[]];

export function byBucket(questions: readonly Question[]): Shared[] {
  const shared = new Map<string, Shared>();
  for (const [place, question] of questions.entries()) {
    const bucket = bucketKey(question.subject, question.group);
    const together = `${bucket} ${question.taking}`;
    const known = shared.get(together);
    if (known) known.places.push(place);
    else shared.set(together, { ...question, bucket, places: [place] });
  }
  return [...shared.values()];
}

interface Replied {
  limit: RateLimit | null;
  lease: string;
  reply: GateReply;
}

/** What each of them is told, in their order. */
export function answersOf(
  { subject, group, taking, places }: Shared,
  { limit, lease, reply }: Replied,
): GateAnswer[] {
  const [version, fresh, leased, taken] = reply;
  const known = { version: version === '' ? null : Number(version), fresh: fresh === 1 };
  const published = rateLimit(group, subject.environment);
  return places.map((_, index) => {
    const own = taken[taking ? index : 0];
    const rate = limit && own ? toState(limit, own) : unlimited(published);
    // One of them may fill in what it reads; the others read for themselves.
    return { ...known, rate, lease: leased === 1 && index === 0 ? lease : null };
  });
}

export function toState(limit: RateLimit, reply: BucketReply): RateState {
  const [allowed, remaining, fullInMs, oneInMs] = reply;
  return { allowed: allowed === 1, limit: limit.burst, remaining, fullInMs, oneInMs };
}

// The braces keep both keys of one credential on one node of a cluster.
export function bucketKey({ id, environment }: Subject, group: RateGroup): string {
  return `${environment}:rate:{${id}}:${group}`;
}

export function versionKey({ id, environment }: Subject): string {
  return `${environment}:credential:{${id}}`;
}

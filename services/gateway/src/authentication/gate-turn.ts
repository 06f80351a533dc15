import type { Environment } from '@countersign/kernel/environment';
import type { RateGroup } from '../request.js';
import { type RateLimit, type RateState, rateLimit, unlimited } from './rate-limits.js';

/** The credential, by its id, whose bucket and version are asked for. */
export interface Subject {
  id: string;
  environment: Environment;
}

export interface GateAnswer {
  /** Null for what has no limit. */
  rate: RateState | null;
  /** The credential's version by Redis; null when Redis is away or does not have it. */
  version: number | null;
  fresh: boolean;
  /** Permits the holder to write the version it reads from the database; null for all others. */
  lease: string | null;
}

export interface Question {
  subject: Subject;
  group: RateGroup;
  /** False to read the bucket without taking a token, for a request that is refused anyway. */
  taking: boolean;
}

/** The questions of one turn about the same credential and bucket, which share one call. */
export interface Shared extends Question {
  bucket: string;
  /** Indexes of the questions among all of the turn. */
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

/** The answers, in the order of the questions. */
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
    // Only one gets the lease; the others read the database for themselves alone.
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

import { randomBytes } from 'node:crypto';
import type { Clock } from '@countersign/kernel/clock';
import type { Metrics } from '@countersign/runtime/metrics';
import type { ChainableCommander, Redis } from '@countersign/runtime/redis';
import { askedTogether } from '@countersign/runtime/sharing/one-turn';
import type { RateGroup } from '../request.js';
import {
  answersOf,
  type BucketReply,
  bucketKey,
  byBucket,
  type GateAnswer,
  type GateReply,
  type Question,
  type Shared,
  type Subject,
  toState,
  versionKey,
} from './gate-turn.js';
import { LocalBuckets } from './local-buckets.js';
import {
  type RateLimit,
  type RateState,
  rateLimit,
  scaledLimit,
  unlimited,
} from './rate-limits.js';
import { announceScript, bucketScript, fillScript, gateScript } from './redis-scripts.js';

type GateArguments = [bucket: string, credential: string, ...args: Array<string | number>];

interface Scripts {
  gate(...args: GateArguments): Promise<GateReply>;
  bucket(bucket: string, ...args: number[]): Promise<BucketReply>;
  fillVersion(credential: string, ...args: Array<string | number>): Promise<number>;
  announceVersion(credential: string, ...args: Array<string | number>): Promise<number>;
}

/** For how long a version counts as fresh before the database is asked again. */
const versionFreshMs = 2_000;
/** An unused lease goes to the next request after this time. */
const leaseHeldMs = 500;
/** For how long Redis keeps a version, for use while the database is away. */
export const versionKeptMs = 3_600_000;

interface GateOptions {
  redis: Redis;
  metrics: Metrics;
  clock: Clock;
  multiplier: number;
}

/**
 * The one round trip to Redis of every authenticated request. It takes a token from the bucket that
 * all replicas share, and returns the version of the credential, by which its cached copy is
 * checked. Requests that arrive in one turn of the event loop share it.
 */
export class Gate {
  readonly #scripts: Scripts;
  readonly #options: GateOptions;
  readonly #local: LocalBuckets;
  readonly #ask: (question: Question) => Promise<GateAnswer>;
  readonly #redis: Redis;
  readonly #instance = randomBytes(9).toString('base64url');
  #leases = 0;

  constructor(options: GateOptions) {
    const { redis } = options;
    redis.defineCommand('gate', { numberOfKeys: 2, lua: gateScript });
    redis.defineCommand('bucket', { numberOfKeys: 1, lua: bucketScript });
    redis.defineCommand('fillVersion', { numberOfKeys: 1, lua: fillScript });
    redis.defineCommand('announceVersion', { numberOfKeys: 1, lua: announceScript });
    this.#redis = redis;
    this.#scripts = redis as unknown as Scripts;
    this.#ask = askedTogether((questions) => this.#passTogether(questions));
    this.#options = options;
    this.#local = new LocalBuckets(options.clock);
  }

  pass(subject: Subject, group: RateGroup): Promise<GateAnswer> {
    return this.#ask({ subject, group, taking: true });
  }

  /** The same without taking a token. */
  look(subject: Subject, group: RateGroup): Promise<GateAnswer> {
    return this.#ask({ subject, group, taking: false });
  }

  async #passTogether(questions: readonly Question[]): Promise<GateAnswer[]> {
    const calls = byBucket(questions).map((shared) => {
      const limit = this.#limitOf(shared);
      const lease = this.#newLease();
      return { shared, limit, lease, args: gateArguments(shared, limit, lease) };
    });
    const replies = await this.#send(calls.map(({ args }) => args));
    const answers: GateAnswer[] = [];
    for (const [index, { shared, limit, lease }] of calls.entries()) {
      const reply = replies[index];
      const told = reply
        ? answersOf(shared, { limit, lease, reply })
        : shared.places.map(() => this.#answerAlone(shared, limit));
      for (const [asker, answer] of told.entries())
        answers[shared.places[asker] as number] = answer;
    }
    return answers;
  }

  /**
   * The reply to each call; null or missing where Redis is away, too slow, or restarting. A
   * pipeline has keys of several credentials: a single Redis takes it, a Redis Cluster would refuse
   * it.
   */
  async #send(calls: readonly GateArguments[]): Promise<Array<GateReply | null>> {
    this.#options.metrics.roundTrip('redis');
    const [only] = calls;
    try {
      if (only && calls.length === 1) return [await this.#scripts.gate(...only)];
      const pipeline = this.#redis.pipeline() as ChainableCommander & Scripts;
      for (const args of calls) void pipeline.gate(...args);
      const replies = (await pipeline.exec()) ?? [];
      return replies.map(([error, reply]) => (error ? null : (reply as GateReply)));
    } catch {
      return [];
    }
  }

  /**
   * Without Redis: the bucket is this replica's own, and the version has to come from the database.
   */
  #answerAlone({ subject, group, bucket, taking }: Shared, limit: RateLimit | null): GateAnswer {
    const published = rateLimit(group, subject.environment);
    const rate = limit ? this.#local.take(bucket, limit, taking ? 1 : 0) : unlimited(published);
    return { rate, version: null, fresh: false, lease: null };
  }

  #limitOf({ subject, group }: Pick<Question, 'subject' | 'group'>): RateLimit | null {
    return scaledLimit(rateLimit(group, subject.environment), this.#options.multiplier);
  }

  /** Takes a token from a bucket that belongs to no credential; null where limits are off. */
  async take(subject: Subject, group: RateGroup): Promise<RateState | null> {
    const limit = this.#limitOf({ subject, group });
    if (!limit) return null;
    const key = bucketKey(subject, group);
    try {
      this.#options.metrics.roundTrip('redis');
      const reply = await this.#scripts.bucket(key, limit.perSecond / 1_000, limit.burst, 1);
      return toState(limit, reply);
    } catch {
      return this.#local.take(key, limit);
    }
  }

  /** Writes the version that was read from the database to Redis. Losing it costs one more read. */
  fill(subject: Subject, version: number, lease: string | null): void {
    if (lease === null) return;
    this.#options.metrics.roundTrip('redis');
    this.#scripts
      .fillVersion(versionKey(subject), lease, version, versionFreshMs, versionKeptMs)
      // Redis is away: the next request reads the database as this one did.
      .catch(() => {});
  }

  /** Takes every older version out of use. Rejects while Redis is away. */
  async announce(subject: Subject, version: number): Promise<void> {
    this.#options.metrics.roundTrip('redis');
    await this.#scripts.announceVersion(versionKey(subject), version, versionKeptMs);
  }

  #newLease(): string {
    this.#leases += 1;
    return `${this.#instance}.${this.#leases}`;
  }
}

function gateArguments(
  { subject, bucket, places, taking }: Shared,
  limit: RateLimit | null,
  lease: string,
): GateArguments {
  const [perMs, burst] = limit ? [limit.perSecond / 1_000, limit.burst] : [0, 0];
  const version = versionKey(subject);
  const tokens = taking ? places.length : 0;
  const periods = [leaseHeldMs, versionKeptMs, versionFreshMs];
  return [bucket, version, perMs, burst, tokens, lease, ...periods];
}

import { randomBytes } from 'node:crypto';
import type { Clock } from '@countersign/kernel/clock';
import type { Environment } from '@countersign/kernel/environment';
import type { Metrics } from '@countersign/runtime/metrics';
import type { Redis } from 'ioredis';
import type { RateGroup } from '../request.js';
import { LocalBuckets } from './local-buckets.js';
import {
  type RateLimit,
  type RateState,
  rateLimit,
  scaledLimit,
  unlimited,
} from './rate-limits.js';
import { announceScript, bucketScript, fillScript, gateScript } from './redis-scripts.js';

interface Scripts {
  gate(bucket: string, credential: string, ...args: Array<string | number>): Promise<GateReply>;
  bucket(bucket: string, ...args: number[]): Promise<BucketReply>;
  fillVersion(credential: string, ...args: Array<string | number>): Promise<number>;
  announceVersion(credential: string, ...args: Array<string | number>): Promise<number>;
}
type BucketReply = [number, number, number, number];
type GateReply = [version: string, fresh: number, leased: number, taken: BucketReply[]];

/** For how long a version counts as fresh before the database is asked again. */
export const versionFreshMs = 2_000;
/** A lease that was not used by then goes to the next asker. */
const leaseHeldMs = 500;
/** For how long a version is remembered, for the time while the database is away. */
const versionKeptMs = 3_600_000;

export interface GateOptions {
  redis: Redis;
  metrics: Metrics;
  clock: Clock;
  multiplier: number;
}

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

type Asker = (answer: GateAnswer) => void;

/**
 * The one round trip to Redis that every authenticated request makes: it takes a token from the
 * bucket that all replicas share and tells whether what is cached of the credential still holds.
 * Requests with the same credential that arrive in one turn of the event loop make it together.
 */
export class Gate {
  readonly #scripts: Scripts;
  readonly #options: GateOptions;
  readonly #local: LocalBuckets;
  readonly #askers = new Map<string, Asker[]>();
  readonly #instance = randomBytes(9).toString('base64url');
  #leases = 0;

  constructor(options: GateOptions) {
    const { redis } = options;
    redis.defineCommand('gate', { numberOfKeys: 2, lua: gateScript });
    redis.defineCommand('bucket', { numberOfKeys: 1, lua: bucketScript });
    redis.defineCommand('fillVersion', { numberOfKeys: 1, lua: fillScript });
    redis.defineCommand('announceVersion', { numberOfKeys: 1, lua: announceScript });
    this.#scripts = redis as unknown as Scripts;
    this.#options = options;
    this.#local = new LocalBuckets(options.clock);
  }

  pass(subject: Subject, group: RateGroup): Promise<GateAnswer> {
    const bucket = bucketKey(subject, group);
    return new Promise((resolve) => {
      const others = this.#askers.get(bucket);
      if (others) {
        others.push(resolve);
        return;
      }
      const askers = [resolve];
      this.#askers.set(bucket, askers);
      setImmediate(() => {
        this.#askers.delete(bucket);
        void this.#passTogether(askers, subject, group);
      });
    });
  }

  async #passTogether(askers: Asker[], subject: Subject, group: RateGroup): Promise<void> {
    const published = rateLimit(group, subject.environment);
    const limit = scaledLimit(published, this.#options.multiplier);
    const bucket = bucketKey(subject, group);
    const lease = this.#newLease();
    try {
      this.#options.metrics.roundTrip('redis');
      const reply = await this.#scripts.gate(
        bucket,
        versionKey(subject),
        limit ? limit.perSecond / 1_000 : 0,
        limit?.burst ?? 0,
        askers.length,
        lease,
        leaseHeldMs,
        versionKeptMs,
      );
      const [version, fresh, leased, taken] = reply;
      const known = { version: version === '' ? null : Number(version), fresh: fresh === 1 };
      askers.forEach((tell, index) => {
        const own = taken[index];
        const rate = limit && own ? toState(limit, own) : unlimited(published);
        // One of them may fill in what it reads; the others read for themselves.
        tell({ ...known, rate, lease: leased === 1 && index === 0 ? lease : null });
      });
    } catch {
      // Away, too slow, or restarting: this replica counts alone and the database is asked.
      for (const tell of askers) {
        const rate = limit ? this.#local.take(bucket, limit) : unlimited(published);
        tell({ rate, version: null, fresh: false, lease: null });
      }
    }
  }

  /** Takes a token from a bucket that belongs to no credential; null where limits are off. */
  async take(subject: Subject, group: RateGroup): Promise<RateState | null> {
    const limit = scaledLimit(rateLimit(group, subject.environment), this.#options.multiplier);
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

  /** Tells other requests and replicas what the database said. Losing it costs one more read. */
  fill(subject: Subject, version: number, lease: string | null): void {
    if (lease === null) return;
    this.#options.metrics.roundTrip('redis');
    this.#scripts
      .fillVersion(versionKey(subject), lease, version, versionFreshMs, versionKeptMs)
      // Redis is away: the next request reads the database as this one did.
      .catch(() => {});
  }

  /** Resolves once every replica with access to Redis sees the change; rejects while it is away. */
  async announce(subject: Subject, version: number): Promise<void> {
    this.#options.metrics.roundTrip('redis');
    await this.#scripts.announceVersion(
      versionKey(subject),
      version,
      versionFreshMs,
      versionKeptMs,
    );
  }

  #newLease(): string {
    this.#leases += 1;
    return `${this.#instance}.${this.#leases}`;
  }
}

function toState(limit: RateLimit, reply: BucketReply): RateState {
  const [allowed, remaining, fullInMs, oneInMs] = reply;
  return { allowed: allowed === 1, limit: limit.burst, remaining, fullInMs, oneInMs };
}

// The braces keep both keys of one credential on one node of a cluster.
function bucketKey({ id, environment }: Subject, group: RateGroup): string {
  return `${environment}:rate:{${id}}:${group}`;
}

function versionKey({ id, environment }: Subject): string {
  return `${environment}:credential:{${id}}`;
}

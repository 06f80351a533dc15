import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@countersign/kernel/clock';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import { withDeadline } from '@countersign/runtime/deadline';
import type { Logger } from '@countersign/runtime/log';
import type { Counter, Metrics } from '@countersign/runtime/metrics';
import type { RateGroup } from '../request.js';
import {
  admitsAddress,
  type Credential,
  type CredentialReader,
  credentialProblem,
  readDeadlineMs,
} from './credential.js';
import type { Gate } from './gate.js';
import type { GateAnswer } from './gate-turn.js';
import type { RateState } from './rate-limits.js';
import { cannotVerify } from './refusals.js';

const maxCached = 20_000;
const readDeadline = { ms: readDeadlineMs, what: 'the credential store' };
/** A read that took this long to fail was not answered. */
const silenceMs = readDeadlineMs / 2;
/** For so long a database that was silent is asked nothing that Redis can tell. */
const askAgainMs = 1_000;

/** A presented credential, and how to read its current row. */
export interface Presented {
  /** Of the secret; null where another proof (an access token) stands in for it. */
  hash: string | null;
  cacheKey: string;
  read: (reader: CredentialReader) => Promise<Credential | null>;
}

/** Who is asking, and from where; the rate group decides which bucket is touched. */
export interface Attempt {
  ip: string;
  group: RateGroup;
}

export type Checked =
  | { credential: Credential; rate: RateState | null }
  | { problem: 'unknown' | 'refused' | 'expired' | 'revoked'; credential: Credential | null };

interface Options {
  reader: CredentialReader;
  gate: Gate;
  metrics: Metrics;
  clock: Clock;
  log: Logger;
  /** False while Redis may lack a change that has been answered. */
  reliesOnRedis: () => boolean;
}

/**
 * Checks credentials against a cache in memory. A cached credential is used only when Redis
 * confirms its version as current, in the same round trip that takes a rate-limit token; otherwise
 * the database is read. So a revocation holds on every replica once its call has answered.
 */
export class CredentialCheck {
  readonly #options: Options;
  readonly #cache = new BoundedMap<string, Credential>(maxCached);
  /** Requests that went by the copy in memory, and reads, which several may share. */
  readonly #reads: Counter<'from'>;
  readonly #toBegin = new Map<string, Promise<Credential | null>>();
  /** When a database that was silent is asked again; null while it answers. */
  #askAgainAt: number | null = null;

  constructor(options: Options) {
    this.#options = options;
    const help = 'credentials of requests, by source';
    this.#reads = options.metrics.counter('credential_reads_total', help, ['from']);
  }

  /** True when it has succeeded on this replica before; it may have been revoked since. */
  knows(presented: Presented): boolean {
    return this.#cache.get(presented.cacheKey) !== undefined;
  }

  /** Rejects with `unavailable` where neither Redis nor the database can confirm the credential. */
  async check(presented: Presented, attempt: Attempt): Promise<Checked> {
    const cached = this.#cache.get(presented.cacheKey);
    const known = cached ?? (await this.#read(presented));
    if (!known) return { problem: 'unknown', credential: null };
    const problem = cached ? null : this.#problem(presented, known);
    if (problem) return { problem, credential: known };
    const answer = await this.#ask(known, attempt);
    if (answer.fresh && answer.version === known.version) {
      return this.#judge(presented, cached ? this.#remembered(cached) : known, answer);
    }
    // Read after the lease was taken: only then may the version be published to other replicas.
    const current = await this.#current(presented, known, answer);
    const letIn =
      current && !admitsAddress(known, attempt.ip) && admitsAddress(current, attempt.ip);
    return this.#judge(presented, current, letIn ? await this.#ask(current, attempt) : answer);
  }

  /**
   * Takes no token for an address outside the allowlist: a leaked key cannot use up its owner's.
   */
  async #ask(credential: Credential, { ip, group }: Attempt): Promise<GateAnswer> {
    const { gate, reliesOnRedis } = this.#options;
    // Not after the answer, which may come from before Redis was told what it had lacked.
    const relies = reliesOnRedis();
    const answer = admitsAddress(credential, ip)
      ? await gate.pass(credential, group)
      : await gate.look(credential, group);
    return relies ? answer : { ...answer, version: null };
  }

  /**
   * The credential in the database; while that is away, the cached one, if Redis has its version.
   */
  async #current(
    presented: Presented,
    known: Credential,
    answer: GateAnswer,
  ): Promise<Credential | null> {
    // A change that was answered has raised the version before, or Redis is not relied on.
    const isConfirmed = answer.version === known.version;
    if (isConfirmed && this.#isSilent()) return this.#remembered(known);
    try {
      const current = await this.#read(presented);
      if (current) this.#options.gate.fill(current, current.version, answer.lease);
      return current;
    } catch (fault) {
      if (!isConfirmed) throw fault;
      this.#options.log.warn({ err: fault }, 'cannot read a credential; using the cached one');
      return this.#remembered(known);
    }
  }

  #remembered(known: Credential): Credential {
    this.#reads.inc({ from: 'memory' });
    return known;
  }

  /** Not for the one request after a while that asks it again. */
  #isSilent(): boolean {
    const askAt = this.#askAgainAt;
    const now = performance.now();
    if (askAt === null || now < askAt) return askAt !== null;
    this.#askAgainAt = now + readDeadlineMs + askAgainMs;
    return false;
  }

  /**
   * One read for all requests of one turn of the event loop; it begins after the last has asked.
   */
  #read(presented: Presented): Promise<Credential | null> {
    const { cacheKey } = presented;
    const others = this.#toBegin.get(cacheKey);
    if (others !== undefined) return others;
    const read = nextTurn().then(() => {
      this.#toBegin.delete(cacheKey);
      return this.#readInTime(presented);
    });
    this.#toBegin.set(cacheKey, read);
    return read;
  }

  async #readInTime({ read }: Presented): Promise<Credential | null> {
    const startedAt = performance.now();
    this.#reads.inc({ from: 'database' });
    try {
      const credential = await withDeadline(read(this.#options.reader), readDeadline);
      this.#askAgainAt = null;
      return credential;
    } catch (error) {
      const now = performance.now();
      if (now - startedAt >= silenceMs) this.#askAgainAt = now + askAgainMs;
      throw cannotVerify(error);
    }
  }

  #judge(presented: Presented, credential: Credential | null, { rate }: GateAnswer): Checked {
    const problem = this.#problem(presented, credential);
    if (problem || !credential) {
      this.#cache.delete(presented.cacheKey);
      return { problem: problem ?? 'unknown', credential };
    }
    this.#cache.set(presented.cacheKey, credential);
    return { credential, rate };
  }

  #problem({ hash }: Presented, credential: Credential | null) {
    return credential && credentialProblem(credential, hash, this.#options.clock());
  }
}

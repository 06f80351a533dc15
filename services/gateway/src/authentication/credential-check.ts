import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@countersign/kernel/clock';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Logger } from '@countersign/runtime/log';
import type { RateGroup } from '../request.js';
import {
  admitsAddress,
  type Credential,
  type CredentialReader,
  credentialProblem,
} from './credential.js';
import type { Gate } from './gate.js';
import type { GateAnswer } from './gate-turn.js';
import type { RateState } from './rate-limits.js';
import { cannotVerify } from './refusals.js';

const maxCached = 20_000;

/** What was presented, and how to read the credential it belongs to as it is now. */
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
  clock: Clock;
  log: Logger;
}

/**
 * Credentials that were good once are kept in memory, and trusted only when the version that Redis
 * tells in the same breath as the rate limit is theirs and fresh. In every other case the database
 * is read: a change that was answered holds at once, here and on every replica.
 */
export class CredentialCheck {
  readonly #options: Options;
  readonly #cache = new BoundedMap<string, Credential>(maxCached);
  readonly #toBegin = new Map<string, Promise<Credential | null>>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** True when this replica has seen it succeed; says nothing about now. */
  knows(presented: Presented): boolean {
    return this.#cache.get(presented.cacheKey) !== undefined;
  }

  /** Rejects with an unavailable Fault only while nobody can say whether the credential is good. */
  async check(presented: Presented, attempt: Attempt): Promise<Checked> {
    const cached = this.#cache.get(presented.cacheKey);
    const known = cached ?? (await this.#read(presented));
    if (!known) return { problem: 'unknown', credential: null };
    const problem = cached ? null : this.#problem(presented, known);
    if (problem) return { problem, credential: known };
    const answer = await this.#ask(known, attempt);
    if (answer.fresh && answer.version === known.version) {
      return this.#judge(presented, known, answer);
    }
    // Read again under the lease: only what is read after it may be told to others.
    const current = await this.#current(presented, known, answer);
    const letIn =
      current && !admitsAddress(known, attempt.ip) && admitsAddress(current, attempt.ip);
    return this.#judge(presented, current, letIn ? await this.#ask(current, attempt) : answer);
  }

  /** An address that a credential does not work from takes nothing from its owner. */
  #ask(credential: Credential, { ip, group }: Attempt): Promise<GateAnswer> {
    const { gate } = this.#options;
    return admitsAddress(credential, ip)
      ? gate.pass(credential, group)
      : gate.look(credential, group);
  }

  /** The credential as the database has it; as it was last known when the database is away. */
  async #current(
    presented: Presented,
    known: Credential,
    answer: GateAnswer,
  ): Promise<Credential | null> {
    try {
      const current = await this.#read(presented);
      if (current) this.#options.gate.fill(current, current.version, answer.lease);
      return current;
    } catch (fault) {
      // What every replica last agreed on: a change since then would have had to announce itself.
      if (answer.version !== known.version) throw fault;
      this.#options.log.warn({ err: fault }, 'credential taken as last known');
      return known;
    }
  }

  /** One read for all who ask in one turn: it begins after each of them has asked. */
  #read(presented: Presented): Promise<Credential | null> {
    const { cacheKey } = presented;
    const others = this.#toBegin.get(cacheKey);
    if (others !== undefined) return others;
    const read = nextTurn().then(() => {
      this.#toBegin.delete(cacheKey);
      return presented.read(this.#options.reader);
    });
    const verified = read.catch((error: unknown) => {
      throw cannotVerify(error);
    });
    this.#toBegin.set(cacheKey, verified);
    return verified;
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

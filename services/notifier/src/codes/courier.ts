import { randomBytes } from 'node:crypto';
import type { Environment } from '@countersign/kernel/environment';
import { randomDigits } from '@countersign/kernel/secret';
import type { Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import type { Counter } from '@countersign/runtime/metrics';
import type { WakeSignal } from '@countersign/runtime/wake-signal';
import { DueLoop } from '../due-loop.js';
import {
  type Allowance,
  type CodeLimits,
  giveAllowanceBack,
  type LimitReached,
  takeAllowance,
} from './allowance.js';
import type { CodeHasher } from './code-hasher.js';
import { type Contact, contactOf, type Identity } from './contact.js';
import { type CodeSender, NothingSent, RecipientRefused } from './send-code.js';
import { armCodeSql, claimCodesSql, finishCodeSql, nextCodeSql, retryCodeSql } from './sql.js';

interface CourierOptions {
  environment: Environment;
  pool: Pool;
  signal: WakeSignal;
  identity: Identity;
  sender: CodeSender;
  hasher: CodeHasher;
  limits: CodeLimits;
  /** Attempts by outcome. */
  attempts: Counter<'environment' | 'outcome'>;
  log: Logger;
}

interface CodeJob {
  authorization_id: string;
  client_id: string;
  principal_id: string;
  amount: string;
  currency: string;
  expires_at: Date;
  expired: boolean;
  attempts: number;
  lease: string;
}

export type Outcome = Sent | LimitReached | 'retry' | 'refused' | 'no_method' | 'given_up';
type Sent = 'sent' | 'not_configured' | 'expired';

/** Concurrent sends per environment and replica. */
const maxInFlight = 16;
/** Longer than identity and the mail or SMS relay together may take. */
const leaseMs = 10_000;
const identityDeadlineMs = 2_000;
const firstPauseMs = 500;
const maxPauseMs = 30_000;
/** Bounds the retries for challenges that stay open very long. */
const maxAttempts = 50;

/**
 * Sends the one-time codes of open challenges. The database has the job but no code: each attempt
 * generates a new code and stores its hash, so an interrupted attempt is simply repeated. The code
 * sent last is the valid one.
 */
export class Courier {
  readonly #options: CourierOptions;
  readonly #loop: DueLoop;

  constructor(options: CourierOptions) {
    this.#options = options;
    this.#loop = new DueLoop({
      ...options,
      claim: () => this.#claim(),
      nextDueSql: nextCodeSql,
      whenAway: 'one-time codes wait for the database',
      whenBack: 'one-time codes no longer wait for the database',
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Waits for the sends in flight, which have deadlines of their own. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#loop.finished();
  }

  async #claim(): Promise<number> {
    const free = maxInFlight - this.#loop.inFlight;
    if (free <= 0) return 0;
    const lease = randomBytes(9).toString('base64url');
    const { rows } = await this.#options.pool.query<CodeJob>({
      name: 'claim codes',
      text: claimCodesSql,
      values: [free, lease, leaseMs],
    });
    for (const job of rows) this.#loop.track(this.#begin(job));
    return rows.length;
  }

  async #begin(job: CodeJob): Promise<void> {
    try {
      await this.#carryOut(job);
    } catch (error) {
      // The job is retried with a new code once the lease has expired.
      const about = { err: error, authorizationId: job.authorization_id };
      this.#options.log.error(about, 'result of sending a code was not stored');
    }
  }

  async #carryOut(job: CodeJob): Promise<void> {
    const { pool, log, environment, attempts } = this.#options;
    const outcome = await this.#attempt(job);
    attempts.inc({ environment, outcome });
    const { authorization_id: authorizationId, client_id: clientId, attempts: attempt } = job;
    const about = { authorizationId, clientId, attempt, outcome };
    log[ordinary.has(outcome) ? 'debug' : 'warn'](about, 'one-time code');
    const leased = [job.authorization_id, job.lease];
    if (outcome === 'retry') await pool.query(retryCodeSql, [...leased, pauseAfter(job.attempts)]);
    else await pool.query(finishCodeSql, [...leased, statusAfter(outcome)]);
  }

  async #attempt(job: CodeJob): Promise<Outcome> {
    if (job.expired) return 'expired';
    const { environment, identity, log } = this.#options;
    const { client_id: clientId, principal_id: principalId, authorization_id: requestId } = job;
    try {
      const options = { environment, requestId, deadlineMs: identityDeadlineMs };
      const contact = await contactOf(identity, { clientId, principalId }, options);
      return contact ? await this.#send(job, contact) : 'no_method';
    } catch (error) {
      log.warn({ err: error, authorizationId: requestId }, 'one-time code could not be sent');
      if (error instanceof RecipientRefused) return 'refused';
      return job.attempts < maxAttempts ? 'retry' : 'given_up';
    }
  }

  /**
   * A code that may have been sent stays counted, and so does one whose recipient was refused: who
   * asks for these without end is limited as well. One that was otherwise not sent is uncounted.
   */
  async #send(job: CodeJob, contact: Contact): Promise<Sent | LimitReached> {
    const allowance = await takeAllowance(this.#options, { clientId: job.client_id, contact });
    if (typeof allowance === 'string') return allowance;
    try {
      const outcome = await this.#handOver(job, contact);
      if (outcome !== 'sent') await this.#giveBack(allowance);
      return outcome;
    } catch (error) {
      if (error instanceof NothingSent) await this.#giveBack(allowance);
      throw error;
    }
  }

  async #handOver(job: CodeJob, contact: Contact): Promise<Sent> {
    const { environment, pool, hasher, sender } = this.#options;
    const { authorization_id: authorizationId, lease, amount, currency } = job;
    const code = randomDigits(6);
    const hash = hasher.hash(code, { environment, authorizationId });
    const values = [authorizationId, lease, contact.channel, hash];
    const { rowCount } = await pool.query(armCodeSql, values);
    if (rowCount === 0) return 'expired';
    const expiresAt = job.expires_at.toISOString();
    return sender.send({ ...contact, code, expiresAt, amount, currency });
  }

  async #giveBack(allowance: Allowance): Promise<void> {
    try {
      await giveAllowanceBack(this.#options.pool, allowance);
    } catch (error) {
      // The code stays counted until its rate limit period has passed.
      this.#options.log.warn({ err: error }, 'an unsent code could not be uncounted');
    }
  }
}

/** Nothing to look into; `retry` has a warning of its own. */
const ordinary: ReadonlySet<Outcome> = new Set<Outcome>(['sent', 'retry', 'no_method', 'expired']);

function statusAfter(outcome: Outcome): string {
  if (outcome === 'sent') return 'SENT';
  return outcome === 'no_method' ? 'NO_METHOD' : 'FAILED';
}

/** With a random jitter of ±20 %. */
function pauseAfter(attempts: number): number {
  const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(attempts - 1, 16));
  return Math.round(pauseMs * (0.8 + 0.4 * Math.random()));
}

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '@countersign/kernel/fault';
import type { Pool } from '@countersign/runtime/database';
import { withDeadline } from '@countersign/runtime/deadline';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Loop } from '@countersign/runtime/loop';
import { type Changed, readNoted, settle } from './announcement-rows.js';
import { type Gate, versionKeptMs } from './gate.js';
import { allKnow, drawTurn, enlist, forgetSilent, leave, recordTurn } from './replica-rows.js';

export interface AnnouncementsOptions {
  pool: Pool;
  gate: Gate;
  log: Logger;
}

/** Several turns of every gateway. */
const announceForMs = 4_000;
const announcePauseMs = 250;
/** By a change and by a turn each: more would not be answered within the time one may take. */
const toldAtOnce = 50;
const turnEveryMs = 1_000;
const readAtOnce = 500;
/** What is left after it waits for the next turn, and others do not wait for this one. */
const tellForMs = 1_500;
const leaveDeadline = { ms: 1_000, what: 'the last turn of a gateway' };
/** Without the database, Redis is relied on for no longer. */
const reliedOnMs = versionKeptMs;
/** A silent gateway has long stopped relying on Redis; clocks may run at different speeds. */
const forgottenAfterMs = reliedOnMs + 60_000;

/**
 * Tells Redis, and so every gateway, of changed credentials. What Redis cannot be told is in the
 * database with the change, where every gateway looks once a second: it tells Redis itself, or it
 * relies on Redis no longer, and then says in the database what it knows of.
 */
export class Announcements {
  readonly #options: AnnouncementsOptions;
  readonly #instance = randomBytes(9).toString('base64url');
  /** Until when Redis may be relied on, by the clock of this process that is never set. */
  #reliesUntil = 0;
  /** Others are known to wait for this gateway. */
  #isListed = false;
  #isBehind = false;

  constructor(options: AnnouncementsOptions) {
    this.#options = options;
  }

  /** False while Redis may lack a change that has been answered. */
  get reliesOnRedis(): boolean {
    return performance.now() < this.#reliesUntil;
  }

  /**
   * Resolves once no gateway uses an older version: when Redis has the new one, or every gateway
   * knows that it may not. Rejects `unavailable` where neither is certain; the change is stored and
   * holds wherever the database is asked.
   */
  async announce(changed: readonly Changed[]): Promise<void> {
    if (await this.#isKnown(changed)) return;
    throw notKnown('The change was saved but may not hold everywhere yet; repeat the request.');
  }

  /** Before a change whose answer cannot be had again: a secret is shown once. */
  async assertAble(current: Changed): Promise<void> {
    if (await this.#isKnown([current])) return;
    throw notKnown('Nothing was changed, since it would not hold everywhere; try again.');
  }

  async #isKnown(changed: readonly Changed[]): Promise<boolean> {
    let untold = await this.tell(changed);
    if (untold.length === 0) return true;
    // Not by the clock: one that is set meanwhile would end this too early, or hours too late.
    const endsAt = performance.now() + announceForMs;
    const known = await this.#knowledge();
    while (performance.now() < endsAt) {
      await pause(announcePauseMs);
      if (await known()) return true;
      untold = await this.tell(untold);
      if (untold.length === 0) return true;
    }
    return false;
  }

  /** Tells Redis of each. Returns those it does not know of; none after it seems to be away. */
  async tell(changed: readonly Changed[]): Promise<Changed[]> {
    const { gate, pool, log } = this.#options;
    const untold: Changed[] = [];
    for (let from = 0; from < changed.length; from += toldAtOnce) {
      const group = changed.slice(from, from + toldAtOnce);
      const results = await Promise.allSettled(
        group.map((each) => gate.announce(each, each.version)),
      );
      const failed = group.filter((_, index) => results[index]?.status === 'rejected');
      untold.push(...failed);
      if (failed.length === group.length) return [...untold, ...changed.slice(from + toldAtOnce)];
      const told = group.filter((each) => !failed.includes(each));
      await settle(pool, told).catch((error: unknown) => {
        log.debug({ err: error }, 'announced credentials will be announced again');
      });
    }
    return untold;
  }

  /** Until the lifecycle ends. Resolves once Redis is relied on, or cannot be. */
  async start(lifecycle: Lifecycle): Promise<void> {
    let begun = (): void => {};
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const loop = new Loop({
      turn: async (stopping) => {
        const turn = this.#turn(stopping);
        turn.catch(begun);
        if (!(await turn)) return 0;
        begun();
        return turnEveryMs;
      },
      failing: {
        log: this.#options.log,
        failed: 'cannot look for changes of credentials',
        over: 'looks for changes of credentials again',
      },
      retryMs: turnEveryMs,
    });
    lifecycle.onShutdown('announcements', () => {
      begun();
      return this.#leave(loop);
    });
    await isBegun;
  }

  async #leave(loop: Loop): Promise<void> {
    const left = loop.stop().then(() => leave(this.#options.pool, this.#instance));
    // One that cannot leave is waited for, and forgotten, like one that was killed.
    await withDeadline(left, leaveDeadline).catch(() => {});
  }

  /**
   * Where Redis cannot be told, it is not relied on before others hear that this gateway knows.
   * Resolves to whether others waited for it when the turn began: until then it proves nothing.
   */
  async #turn(signal: AbortSignal): Promise<boolean> {
    const { pool } = this.#options;
    const startedAt = performance.now();
    const wasListed = this.#isListed;
    const turn = await drawTurn(pool);
    // A database that is slow to answer proves no change that Redis lacks.
    const isTold = await this.#tellAll(signal, performance.now() + tellForMs);
    if (signal.aborted) return wasListed;
    if (!isTold) this.#reliesUntil = 0;
    this.#noteBehind(!isTold);
    this.#isListed = await this.#record(turn);
    const isWaitedFor = wasListed && this.#isListed;
    this.#reliesUntil = isTold && isWaitedFor ? startedAt + reliedOnMs : 0;
    await forgetSilent(pool, forgottenAfterMs);
    return wasListed;
  }

  /** True where it is on the list now. */
  async #record(turn: string): Promise<boolean> {
    const { pool } = this.#options;
    if (this.#isListed) return recordTurn(pool, this.#instance, turn);
    await enlist(pool, this.#instance, turn);
    return true;
  }

  /** Tells Redis what is noted, whoever changed it. False where it cannot be told all of it. */
  async #tellAll(signal: AbortSignal, endsAt: number): Promise<boolean> {
    let after = '';
    while (!signal.aborted && performance.now() < endsAt) {
      const noted = await readNoted(this.#options.pool, after, readAtOnce);
      if ((await this.tell(noted)).length > 0) return false;
      if (noted.length < readAtOnce) return true;
      after = noted.at(-1)?.id ?? after;
    }
    return false;
  }

  /** Asks whether every gateway knows of what is stored by now. */
  async #knowledge(): Promise<() => Promise<boolean>> {
    const { pool } = this.#options;
    // Without the database nobody is known to know; Redis may still be told.
    const turn = await drawTurn(pool).catch(() => null);
    if (turn === null) return async () => false;
    return () => allKnow(pool, this.#instance, turn).catch(() => false);
  }

  #noteBehind(isBehind: boolean): void {
    const { log } = this.#options;
    if (isBehind && !this.#isBehind) {
      log.warn('redis lacks changes of credentials; every request asks the database');
    }
    if (!isBehind && this.#isBehind) log.info('redis has all changes of credentials again');
    this.#isBehind = isBehind;
  }
}

function notKnown(message: string): Fault {
  return new Fault('unavailable', { message, retryAfterSeconds: 1 });
}

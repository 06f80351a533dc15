import { isoTime } from '@countersign/kernel/clock';
import type { Environment } from '@countersign/kernel/environment';
import { fnv1a } from '@countersign/kernel/fnv';
import type { Thresholds } from '@countersign/kernel/threshold';
import { withBreaker } from '@countersign/runtime/breaker';
import type { Metrics } from '@countersign/runtime/metrics';
import type { Redis } from '@countersign/runtime/redis';
import { askedTogether } from '@countersign/runtime/sharing/one-turn';
import type { DecisionMetrics } from '../decision-metrics.js';
import type { VelocityFacts } from '../facts/shape.js';
import { windowScript } from './window-script.js';

export type Limits = Pick<Thresholds, 'velocityBurstCount' | 'velocityBurstWindowSeconds'>;

export interface Question {
  agentId: string;
  /** Repeated calls for one authorization are counted once. */
  authorizationId: string;
  /** When the decision is made, in milliseconds. */
  at: number;
  limits: Limits;
  /** Add the decision, count it as already added, or count it without adding it. */
  how: 'add' | 'in' | 'out';
}

interface Scripts {
  shortWindows(keys: number, ...args: Array<string | number>): Promise<number[]>;
}

interface ShortWindowParts {
  redis: Redis;
  environment: Environment;
  metrics: Metrics;
  counted: DecisionMetrics;
}

const within: VelocityFacts = { exceeded: false };

/**
 * Counts the recent decisions of each agent in Redis, across all replicas. Requests of one turn of
 * the event loop share a call. While Redis is away, or slower than its deadline, decisions are
 * made without this signal, and a breaker keeps it from being asked for a while.
 */
export class ShortWindows {
  readonly #parts: ShortWindowParts;
  readonly #scripts: Scripts;
  readonly #send: (args: Array<string | number>) => Promise<number[]>;
  readonly #ask: (question: Question) => Promise<VelocityFacts | undefined>;

  constructor(parts: ShortWindowParts) {
    const { redis, metrics, environment } = parts;
    redis.defineCommand('shortWindows', { lua: windowScript });
    this.#parts = parts;
    this.#scripts = redis as unknown as Scripts;
    this.#send = withBreaker(
      (args) => {
        metrics.roundTrip('redis');
        return this.#scripts.shortWindows(args.length / 6, ...args);
      },
      { name: `redis_${environment}`, metrics },
    );
    this.#ask = askedTogether((questions) => this.#askTogether(questions));
  }

  /** Undefined if Redis did not answer. */
  ask(question: Question): Promise<VelocityFacts | undefined> {
    return this.#ask(question);
  }

  /**
   * Removes what turned out not to be a decision. Not waited for, and may fail silently: it then
   * counts until the window is over, and its caller has an answer that does not depend on it.
   */
  takeBack({ agentId, authorizationId, at }: Omit<Question, 'limits' | 'how'>): void {
    this.#parts.metrics.roundTrip('redis');
    const entry = `${at}${markOf(authorizationId)}`;
    this.#parts.redis.lrem(this.#keyOf(agentId), 1, entry).catch(() => {});
  }

  async #askTogether(
    questions: readonly Question[],
  ): Promise<ReadonlyArray<VelocityFacts | undefined>> {
    const args: Array<string | number> = questions.map(({ agentId }) => this.#keyOf(agentId));
    for (const { authorizationId, at, limits, how } of questions) {
      const { velocityBurstWindowSeconds: seconds, velocityBurstCount: count } = limits;
      args.push(at, seconds * 1_000, count, how, markOf(authorizationId));
    }
    // Without Redis the windows are not checked, and each question is counted as unanswered.
    const replies = await this.#send(args).catch(() => null);
    const seen = questions.map((_, index) => factsOf(replies?.[index]));
    this.#count(seen);
    return seen;
  }

  #count(seen: ReadonlyArray<VelocityFacts | undefined>): void {
    const exceeded = seen.filter((velocity) => velocity?.exceeded).length;
    const unanswered = seen.filter((velocity) => velocity === undefined).length;
    const { velocityReads } = this.#parts.counted;
    velocityReads.inc({ outcome: 'within' }, seen.length - exceeded - unanswered);
    if (exceeded > 0) velocityReads.inc({ outcome: 'exceeded' }, exceeded);
    if (unanswered > 0) velocityReads.inc({ outcome: 'unanswered' }, unanswered);
  }

  #keyOf(agentId: string): string {
    return `${this.#parts.environment}:decisions:${agentId}`;
  }
}

/** A fraction of a millisecond, so that an entry remains a number that can be compared. */
function markOf(authorizationId: string): string {
  return `.${fnv1a(authorizationId).toString().padStart(10, '0')}`;
}

function factsOf(again: number | undefined): VelocityFacts | undefined {
  if (again === undefined) return undefined;
  return again === 0 ? within : { exceeded: true, againAt: isoTime(again) };
}

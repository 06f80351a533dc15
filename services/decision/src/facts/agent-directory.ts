import { type Environment, perEnvironment } from '@countersign/kernel/environment';
import type { GetSpendingFactsRequestInput } from '@countersign/proto/identity';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { CallOptions } from '@countersign/runtime/grpc-types';
import { PassingMap } from '@countersign/runtime/passing-map';
import type { AskSpendingFacts } from '../clients.js';
import type { DecisionMetrics } from '../decision-metrics.js';
import { type ResolvedAgent, resolvedAgent } from './from-identity.js';
import { SharedValues } from './shared-values.js';

/** The caller and the agent, as the credential and the request name them. */
interface AgentQuestion {
  clientId: string;
  principalId: string | null;
  agentId: string | null;
  agentDid: string | null;
}

export interface AgentAnswer {
  actingPrincipalId: string | null;
  /** Null when the agent does not exist or is not the caller's. */
  known: ResolvedAgent | null;
  /** Of the ledger's database, as known before identity was asked; empty while none is. */
  epoch: string;
}

interface CachedAnswer {
  answer: AgentAnswer;
  readAt: number;
}

/** Counted in typical agents, of about two kilobytes; one with long lists counts as several. */
const maxCached = 20_000;
const typicalLength = 2_000;
const mandateLength = 500;
/**
 * Approvals do not depend on this: the ledger refuses proposals made from an older version. It
 * bounds how long anything that changes without a new version, such as a verification that expires
 * by itself, can be out of date. Identity leaves out mandates that begin later than in an hour
 * (its `mandate/applicable.ts`), so this must be well below.
 */
const maxAgeMs = 600_000;

/**
 * In-process cache of identity's answers about agents. It may be outdated: a proposal carries the
 * versions it was made from, the ledger's fence refuses outdated ones, and identity is then asked
 * again (`mayUseCache` false). It also carries the epoch of the ledger's database: one that was
 * restored may have lost fences, so what was read before is not used after it. Agents that do not
 * exist are not cached, since nothing announces their creation; nor are revoked ones, whose DID
 * another agent may register.
 */
export class AgentDirectory {
  readonly #ask: AskSpendingFacts;
  readonly #counted: DecisionMetrics;
  readonly #cached = new BoundedMap<string, CachedAnswer>(maxCached);
  readonly #shared = new SharedValues();
  readonly #epochs = perEnvironment(() => '');
  /** Requests in flight, so that a burst for one agent asks once. */
  readonly #inFlight = new PassingMap<string, Promise<AgentAnswer>>();

  constructor(ask: AskSpendingFacts, counted: DecisionMetrics) {
    this.#ask = ask;
    this.#counted = counted;
  }

  /** What the ledger has told. Answers of another epoch are not used from now on. */
  adopt(environment: Environment, epoch: string): void {
    this.#epochs[environment] = epoch;
  }

  async read(
    question: AgentQuestion,
    options: CallOptions,
    { mayUseCache }: { mayUseCache: boolean },
  ): Promise<AgentAnswer> {
    const key = keyOf(question, options.environment);
    if (!mayUseCache) return this.#asked(key, question, options);
    const found = this.#cached.get(key);
    const isCurrent = found?.answer.epoch === this.#epochs[options.environment];
    if (found && isCurrent && isFresh(found)) {
      this.#counted.agentReads.inc({ from: 'memory' });
      return found.answer;
    }
    return this.#together(key, question, options);
  }

  /** Joins a request in flight, with its deadline; asks again if that fails. */
  #together(key: string, question: AgentQuestion, options: CallOptions): Promise<AgentAnswer> {
    const pending = this.#inFlight.get(key);
    if (pending !== undefined) return pending.catch(() => this.#asked(key, question, options));
    const asking = this.#asked(key, question, options);
    this.#inFlight.set(key, asking);
    const forget = (): void => {
      void this.#inFlight.take(key);
    };
    asking.then(forget, forget);
    return asking;
  }

  async #asked(key: string, question: AgentQuestion, options: CallOptions): Promise<AgentAnswer> {
    this.#counted.agentReads.inc({ from: 'identity' });
    const epoch = this.#epochs[options.environment];
    const found = await this.#ask(requestOf(question), options);
    const actingPrincipalId = found.actingPrincipalId ?? null;
    const known = resolvedAgent(found, question, this.#shared);
    const answer = { actingPrincipalId, known, epoch };
    if (known && known.agent.status !== 'REVOKED') {
      const cached = { answer, readAt: Date.now() };
      this.#cached.set(key, cached, weightOf(known));
    }
    return answer;
  }
}

/** A clock that was set back must not keep an answer for as long, which identity's may share. */
function isFresh({ readAt }: CachedAnswer): boolean {
  return Math.abs(Date.now() - readAt) < maxAgeMs;
}

function requestOf(question: AgentQuestion): GetSpendingFactsRequestInput {
  const { clientId, principalId, agentId, agentDid } = question;
  return {
    clientId,
    ...(principalId !== null && { principalId }),
    ...(agentId !== null && { agentId }),
    ...(agentDid !== null && { agentDid }),
  };
}

/** In typical agents. What makes agents differ in size are their mandates and the lists there. */
function weightOf({ mandates }: ResolvedAgent): number {
  let length = 0;
  for (const mandate of mandates) {
    length += mandateLength;
    for (const value of Object.values(mandate)) {
      if (Array.isArray(value)) for (const text of value) length += text.length;
    }
  }
  return Math.max(1, Math.ceil(length / typicalLength));
}

function keyOf(question: AgentQuestion, environment: Environment): string {
  const { clientId, principalId, agentId, agentDid } = question;
  return JSON.stringify([environment, clientId, principalId, agentId, agentDid]);
}

import type { Environment } from '@countersign/kernel/environment';
import type { GetSpendingFactsRequestInput } from '@countersign/proto/identity';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { CallOptions } from '@countersign/runtime/grpc-types';
import { PassingMap } from '@countersign/runtime/passing-map';
import type { AskSpendingFacts } from './clients.js';
import type { DecisionMetrics } from './decision-metrics.js';
import { type KnownAgent, knownAgent } from './facts-from-identity.js';

/** The caller and the agent, as the credential and the request name them. */
export interface AgentQuestion {
  clientId: string;
  principalId: string | null;
  agentId: string | null;
  agentDid: string | null;
}

export interface AgentAnswer {
  actingPrincipalId: string | null;
  /** Null when the agent does not exist or is not the caller's. */
  known: KnownAgent | null;
}

interface Remembered {
  answer: AgentAnswer;
  until: number;
}

/** Counted in typical agents, of about two kilobytes; one with long lists counts as several. */
const maxRemembered = 20_000;
const usualLength = 2_000;
const mandateLength = 500;
/**
 * Approvals do not depend on this: the ledger refuses proposals made from an older version. It
 * bounds how long anything that changes without a new version, such as a verification that expires
 * by itself, can be out of date.
 */
const longestMs = 600_000;

/**
 * In-process cache of identity's answers about agents. It may be outdated: a proposal carries the
 * versions it was made from, the ledger's fence refuses outdated ones, and identity is then asked
 * again (`remembered` false). Agents that do not exist are not cached, since nothing announces
 * their creation; nor are revoked ones, whose DID another agent may register.
 */
export class KnownAgents {
  readonly #ask: AskSpendingFacts;
  readonly #counted: DecisionMetrics;
  readonly #remembered = new BoundedMap<string, Remembered>(maxRemembered);
  /** Requests in flight, so that a burst for one agent asks once. */
  readonly #asking = new PassingMap<string, Promise<AgentAnswer>>();

  constructor(ask: AskSpendingFacts, counted: DecisionMetrics) {
    this.#ask = ask;
    this.#counted = counted;
  }

  async read(
    question: AgentQuestion,
    options: CallOptions,
    { remembered }: { remembered: boolean },
  ): Promise<AgentAnswer> {
    const key = keyOf(question, options.environment);
    if (!remembered) return this.#asked(key, question, options);
    const found = this.#remembered.get(key);
    if (found && found.until > Date.now()) {
      this.#counted.agentReads.inc({ from: 'memory' });
      return found.answer;
    }
    return this.#together(key, question, options);
  }

  /** Joins a request in flight, with its deadline; where that fails, asks again. */
  #together(key: string, question: AgentQuestion, options: CallOptions): Promise<AgentAnswer> {
    const underWay = this.#asking.get(key);
    if (underWay !== undefined) return underWay.catch(() => this.#asked(key, question, options));
    const asking = this.#asked(key, question, options);
    this.#asking.set(key, asking);
    const forget = (): void => {
      void this.#asking.take(key);
    };
    asking.then(forget, forget);
    return asking;
  }

  async #asked(key: string, question: AgentQuestion, options: CallOptions): Promise<AgentAnswer> {
    this.#counted.agentReads.inc({ from: 'identity' });
    const found = await this.#ask(requestOf(question), options);
    const actingPrincipalId = found.actingPrincipalId ?? null;
    const answer = { actingPrincipalId, known: knownAgent(found, question, actingPrincipalId) };
    if (answer.known && answer.known.agent.status !== 'REVOKED') {
      const remembered = { answer, until: Date.now() + longestMs };
      this.#remembered.set(key, remembered, weightOf(answer.known));
    }
    return answer;
  }
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
function weightOf({ mandates }: KnownAgent): number {
  let length = 0;
  for (const mandate of mandates) {
    length += mandateLength;
    for (const value of Object.values(mandate)) {
      if (Array.isArray(value)) for (const text of value) length += text.length;
    }
  }
  return Math.max(1, Math.ceil(length / usualLength));
}

function keyOf(question: AgentQuestion, environment: Environment): string {
  const { clientId, principalId, agentId, agentDid } = question;
  return JSON.stringify([environment, clientId, principalId, agentId, agentDid]);
}

import type { components } from './generated/openapi.js';

type Schemas = components['schemas'];
type Answered = Schemas['Authorization'];

/** Fields that the client adds to a decision. */
export interface Told {
  /**
   * The key of this payment. Repeating the request with it returns the same decision and never
   * makes a second payment.
   */
  idempotency_key: string;
  /** True if this is the stored answer to an earlier request with this key. */
  replayed: boolean;
  request_id: string;
}

interface Known {
  agent_id: string;
  mandate_id: string;
}

/** The agent may pay: the amount is reserved and the approval is recorded. */
export type Approval<T = Answered> = T & Known & { decision: 'APPROVE' };

/** The agent may not pay; `reason_detail` says what failed and what would pass. */
export type Decline<T = Answered> = T & { decision: 'DECLINE' };

/**
 * A human has to confirm first. Nothing is reserved; the agent may not pay until it is confirmed.
 */
export type StepUp<T = Answered> = T & Known & { decision: 'STEP_UP' };

export type AnyDecision<T> = Approval<T> | Decline<T> | StepUp<T>;

/** All three are results: only requests without a decision throw. */
export type Decision = AnyDecision<Answered & Told>;
export type Simulation = AnyDecision<Schemas['SimulatedAuthorization']>;

const decisions: ReadonlySet<unknown> = new Set(['APPROVE', 'DECLINE', 'STEP_UP']);

/** Any other body of a 200 must not count as an approval. */
export function isDecision(body: unknown): boolean {
  const { decision, authorization_id: id } = (body ?? {}) as Record<string, unknown>;
  return decisions.has(decision) && typeof id === 'string';
}

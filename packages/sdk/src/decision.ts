import type { components } from './generated/openapi.js';

type Schemas = components['schemas'];
type Answered = Schemas['Authorization'];

/** What the client knows of an answer beside it. */
export interface Told {
  /** Of this payment: the same key asks for the same decision, never for a second payment. */
  idempotency_key: string;
  /** This is the first answer to this key, given again. */
  replayed: boolean;
  request_id: string;
}

interface Known {
  agent_id: string;
  mandate_id: string;
}

/** The agent may pay: the amount is reserved, and the approval is on record. */
export type Approval<T = Answered> = T & Known & { decision: 'APPROVE' };

/** The agent may not pay; `reason_detail` says what failed, and what would pass. */
export type Decline<T = Answered> = T & { decision: 'DECLINE' };

/** A human has to confirm first. Nothing is reserved: until then the agent may not pay. */
export type StepUp<T = Answered> = T & Known & { decision: 'STEP_UP' };

export type AnyDecision<T> = Approval<T> | Decline<T> | StepUp<T>;

/** All three are answers: only what is no answer is thrown. */
export type Decision = AnyDecision<Answered & Told>;
export type Simulation = AnyDecision<Schemas['SimulatedAuthorization']>;

const decisions: ReadonlySet<unknown> = new Set(['APPROVE', 'DECLINE', 'STEP_UP']);

/** Whatever else came with a 200 is not taken for leave to pay. */
export function isDecision(body: unknown): boolean {
  const { decision, authorization_id: id } = (body ?? {}) as Record<string, unknown>;
  return decisions.has(decision) && typeof id === 'string';
}

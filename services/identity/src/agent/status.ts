import { invalidField } from '@countersign/kernel/fault';
import type { AgentStatus } from '@countersign/kernel/vocabulary';

const successors: Record<AgentStatus, readonly AgentStatus[]> = {
  ACTIVE: ['SUSPENDED', 'REVOKED'],
  SUSPENDED: ['ACTIVE', 'REVOKED'],
  REVOKED: [],
};

/** False if the status stays the same. Throws 422 if the transition is not permitted. */
export function isStatusChange(from: AgentStatus, to: AgentStatus): boolean {
  if (from === to) return false;
  if (successors[from].includes(to)) return true;
  throw invalidField(
    'status',
    'transition_not_allowed',
    `An agent that is ${from} cannot become ${to}.`,
  );
}

import { isoTime } from '@countersign/kernel/clock';
import type {
  BusEvent,
  FraudResolution,
  FraudSeverity,
  FraudSignal,
} from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { type Cause, causedEvent } from '../caused-event.js';
import { suspicionOf } from './suspicion.js';
import type { DecisionInput } from './triage-input.js';

/** As it is stored; times are ISO 8601. */
export interface FraudCase {
  id: string;
  authorizationId: string;
  clientId: string;
  principalId: string;
  agentId: string;
  programId: string | null;
  severity: FraudSeverity;
  signals: FraudSignal[];
  amount: string;
  currency: string;
  status: 'OPEN' | 'RESOLVED';
  resolution: FraudResolution | null;
  resolvedBy: string | null;
  resolvedAt: string | null;
  createdAt: string;
}

/** As the driver returns it. */
export type CaseRow = Omit<FraudCase, 'resolvedAt' | 'createdAt'> & {
  resolvedAt: Date | null;
  createdAt: Date;
};

export function asCase(row: CaseRow): FraudCase {
  const resolvedAt = row.resolvedAt?.toISOString() ?? null;
  return { ...row, resolvedAt, createdAt: row.createdAt.toISOString() };
}

export function openedCase({ decision, principalId, clientId, at }: DecisionInput): FraudCase {
  return {
    id: newId('fraudCase'),
    authorizationId: decision.authorizationId,
    clientId,
    principalId,
    agentId: decision.agentId,
    programId: decision.programId,
    ...suspicionOf(decision),
    amount: decision.amount,
    currency: decision.currency,
    status: 'OPEN',
    resolution: null,
    resolvedBy: null,
    resolvedAt: null,
    createdAt: isoTime(at),
  };
}

interface Resolving {
  resolution: FraudResolution;
  by: string;
  at: number;
}

export function resolvedCase(open: FraudCase, { resolution, by, at }: Resolving): FraudCase {
  return { ...open, status: 'RESOLVED', resolution, resolvedBy: by, resolvedAt: isoTime(at) };
}

export function openedEvent(opened: FraudCase, cause: Cause): BusEvent<'fraud.case_opened'> {
  return causedEvent('fraud.case_opened', cause, {
    caseId: opened.id,
    authorizationId: opened.authorizationId,
    agentId: opened.agentId,
    severity: opened.severity,
    signals: opened.signals,
    amount: opened.amount,
    currency: opened.currency,
  });
}

/** The outcome that is reported to the ledger, so that it counts for the agent's scores. */
const outcomeOf: Record<FraudResolution, string | null> = {
  CONFIRMED_FRAUD: 'CONFIRMED_FRAUD',
  FALSE_POSITIVE: 'FALSE_POSITIVE_REPORTED',
  INCONCLUSIVE: null,
};

/** `known`: an outcome of the ledger has resolved the case, so there is nothing to report to it. */
export function resolvedEvent(
  { id, authorizationId, agentId, ...resolved }: FraudCase,
  cause: Cause,
  { known }: { known: boolean },
): BusEvent<'fraud.case_resolved'> {
  const resolution = resolved.resolution ?? 'INCONCLUSIVE';
  const type = known ? null : outcomeOf[resolution];
  return causedEvent('fraud.case_resolved', cause, {
    caseId: id,
    authorizationId,
    agentId,
    resolution,
    resolvedBy: resolved.resolvedBy ?? '',
    outcome: type === null ? null : { id: newId('outcome'), type },
  });
}

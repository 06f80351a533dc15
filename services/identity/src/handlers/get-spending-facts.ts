import type { SpendingFactsInput } from '@countersign/proto/identity';
import type { Context } from '../context.js';
import { applicableMandates } from '../mandate/applicable.js';
import { mandateView } from '../mandate/view.js';
import { verificationStatus } from '../principal/verification.js';
import type { AgentRow, FactsRow, MandateColumns } from '../spending-facts.js';
import { maxInlineMandates } from '../sql.js';
import type { Handler } from './handler.js';

/**
 * One database round trip, shared by concurrent calls, except for agents with many mandates. The
 * statement also resolves the acting principal and checks who owns the agent.
 */
export function getSpendingFacts(context: Context): Handler<'GetSpendingFacts'> {
  return async (query, { environment }) => {
    const rows = await context.spendingFacts[environment](query);
    const [first] = rows;
    if (!first) return {};
    if (!hasAgent(first)) return { actingPrincipalId: first.actingPrincipalId ?? undefined };
    const nowMs = context.clock();
    const facts = spenderFacts(first, nowMs);
    const newestFirst = rows.filter(hasMandate).sort((one, other) => other.ordinal - one.ordinal);
    if (newestFirst.length < maxInlineMandates) {
      return { ...facts, mandates: newestFirst.map((mandate) => mandateView(mandate, null)) };
    }
    const { pool } = context.stores[environment];
    return { ...facts, mandates: await applicableMandates(pool, first['agent.id'], nowMs) };
  };
}

function hasAgent(row: FactsRow): row is AgentRow {
  return row['agent.id'] !== null;
}

function hasMandate(row: FactsRow): row is FactsRow & MandateColumns {
  return row.id !== null;
}

function spenderFacts(row: AgentRow, nowMs: number): Omit<SpendingFactsInput, 'mandates'> {
  const programId = row['agent.programId'] ?? undefined;
  return {
    actingPrincipalId: row.actingPrincipalId,
    agent: {
      id: row['agent.id'],
      principalId: row['agent.principalId'],
      programId,
      did: row['agent.did'],
      status: row['agent.status'],
      trustLevel: row['agent.trustLevel'],
      capabilities: row['agent.capabilities'],
      keyThumbprint: row['agent.keyThumbprint'] ?? undefined,
      viCapable: row['agent.viCapable'],
      createdAt: new Date(row['agent.createdAt']).toISOString(),
      version: row['agent.version'],
    },
    principal: {
      id: row['agent.principalId'],
      verificationStatus: verificationStatus(row, nowMs),
      riskTier: row['principal.riskTier'],
      version: row['principal.version'],
    },
    program: programOf(row, programId),
  };
}

function programOf(row: AgentRow, id: string | undefined): SpendingFactsInput['program'] {
  const status = row['program.status'];
  if (status === null) return undefined;
  return {
    id,
    status,
    rails: row['program.rails'] ?? [],
    version: row['program.version'],
    fraudTriageEnabled: row['program.fraudTriageEnabled'] ?? false,
  };
}

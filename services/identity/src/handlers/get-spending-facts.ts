import { type AgentRecord, agentView } from '../agent/view.js';
import type { Context } from '../context.js';
import { type MandateRecord, mandateView } from '../mandate/view.js';
import { type PrincipalRecord, principalCore } from '../principal/view.js';
import { type ProgramRecord, programView } from '../program/view.js';
import { spendingFacts } from '../sql.js';
import type { Handler } from './handler.js';

interface FactsRow {
  actingPrincipalId: string | null;
  agent: AgentRecord | null;
  principal: PrincipalRecord | null;
  program: ProgramRecord | null;
  mandates: MandateRecord[];
}

/** One round trip. Who acts and whose the agent is are part of the statement itself. */
export function getSpendingFacts(context: Context): Handler<'GetSpendingFacts'> {
  return async ({ clientId, principalId, agentId, agentDid }, { environment }) => {
    const statement = agentId === undefined ? spendingFacts.byDid : spendingFacts.byId;
    context.metrics.roundTrip('postgres');
    const { rows } = await context.stores[environment].pool.query<FactsRow>({
      ...statement,
      values: [clientId, principalId ?? null, agentId ?? null, agentDid ?? null],
    });
    const [facts] = rows;
    if (!facts) return {};
    return {
      actingPrincipalId: facts.actingPrincipalId ?? undefined,
      agent: facts.agent && agentView(facts.agent),
      principal: facts.principal && principalCore(facts.principal, context.clock()),
      program: facts.program && programView(facts.program),
      mandates: facts.mandates.map((mandate) => mandateView(mandate, null)),
    };
  };
}

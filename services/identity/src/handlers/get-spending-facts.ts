import { agentView } from '../agent/view.js';
import type { Context } from '../context.js';
import { mandateView } from '../mandate/view.js';
import { principalCore } from '../principal/view.js';
import { programView } from '../program/view.js';
import type { Handler } from './handler.js';

/**
 * One round trip, shared with others. Who acts and whose the agent is are part of the statement
 * itself.
 */
export function getSpendingFacts(context: Context): Handler<'GetSpendingFacts'> {
  return async (question, { environment }) => {
    const facts = await context.spendingFacts[environment](question);
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

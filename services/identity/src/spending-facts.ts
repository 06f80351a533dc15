import { type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import type { GetSpendingFactsRequest } from '@countersign/proto/identity';
import {
  type GroupedRead,
  type GroupedReadParts,
  type GroupedStatement,
  groupedReaders,
} from '@countersign/runtime/grouped-read';
import type { AgentRecord } from './agent/view.js';
import type { MandateRecord } from './mandate/view.js';
import type { PrincipalRecord } from './principal/view.js';
import type { ProgramRecord } from './program/view.js';
import { spendingFacts } from './sql.js';

export type FactsQuestion = Pick<
  GetSpendingFactsRequest,
  'clientId' | 'principalId' | 'agentId' | 'agentDid'
>;

export interface FactsRow {
  actingPrincipalId: string | null;
  agent: AgentRecord | null;
  principal: PrincipalRecord | null;
  program: ProgramRecord | null;
  mandates: MandateRecord[];
}

export type ReadSpendingFacts = GroupedRead<FactsQuestion, FactsRow>;

const columns: GroupedStatement<FactsQuestion>['columns'] = [
  ({ clientId }) => clientId,
  ({ principalId }) => principalId,
  ({ agentId }) => agentId,
  ({ agentDid }) => agentDid,
];

/** All about an agent that a payment depends on, asked by its id or by its DID. */
export function spendingFactsReaders(parts: GroupedReadParts): PerEnvironment<ReadSpendingFacts> {
  const byId = groupedReaders<FactsQuestion, FactsRow>(parts, { ...spendingFacts.byId, columns });
  const byDid = groupedReaders<FactsQuestion, FactsRow>(parts, { ...spendingFacts.byDid, columns });
  return perEnvironment((environment) => {
    const readers = { byId: byId[environment], byDid: byDid[environment] };
    return (question) => (question.agentId === undefined ? readers.byDid : readers.byId)(question);
  });
}

import { type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import type { GetSpendingFactsRequest } from '@countersign/proto/identity';
import {
  type GroupedRead,
  type GroupedReadParts,
  type GroupedStatement,
  groupedReaders,
} from '@countersign/runtime/grouped-read';
import type { MandateRecord } from './mandate/view.js';
import { spendingFacts } from './sql.js';

export type FactsQuestion = Pick<
  GetSpendingFactsRequest,
  'clientId' | 'principalId' | 'agentId' | 'agentDid'
>;

interface AgentColumns {
  'agent.id': string;
  'agent.principalId': string;
  'agent.programId': string | null;
  'agent.did': string;
  'agent.status': string;
  'agent.trustLevel': string;
  'agent.capabilities': string[];
  'agent.keyThumbprint': string | null;
  'agent.viCapable': boolean;
  'agent.createdAt': number;
  'agent.version': number;
  verificationStatus: string;
  verificationExpiresAt: number | null;
  'principal.riskTier': string;
  'principal.version': number;
  'program.status': string | null;
  'program.rails': string[] | null;
  'program.version': number;
  'program.fraudTriageEnabled': boolean | null;
}

type Absent<T> = { [K in keyof T]: null };

interface NoAgent extends Absent<AgentColumns>, Absent<MandateColumns> {
  actingPrincipalId: string | null;
}

/** `ordinal` is larger, the newer it is. */
export type MandateColumns = MandateRecord & { ordinal: number };

/** One for each of its mandates; `id` is null in the only one of an agent that has none. */
export type AgentRow = AgentColumns & { actingPrincipalId: string } & (
    | MandateColumns
    | Absent<MandateColumns>
  );

export type FactsRow = AgentRow | NoAgent;

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

import { type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import type { GetSpendingFactsRequest } from '@countersign/proto/identity';
import {
  type GroupedRead,
  type GroupedReadParts,
  type GroupedStatement,
  groupedReaders,
} from '@countersign/runtime/sharing/grouped-read';
import type { MandateRecord } from './mandate/view.js';
import { spendingFacts } from './sql.js';

type SpendingFactsQuery = Pick<
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

/** The greatest `ordinal` is that of the newest mandate. */
export type MandateColumns = MandateRecord & { ordinal: number };

/** One row per mandate; for an agent without mandates, one row whose `id` is null. */
export type AgentRow = AgentColumns & { actingPrincipalId: string } & (
    | MandateColumns
    | Absent<MandateColumns>
  );

export type FactsRow = AgentRow | NoAgent;

export type ReadSpendingFacts = GroupedRead<SpendingFactsQuery, FactsRow>;

const columns: GroupedStatement<SpendingFactsQuery>['columns'] = [
  ({ clientId }) => clientId,
  ({ principalId }) => principalId,
  ({ agentId }) => agentId,
  ({ agentDid }) => agentDid,
];

/** Reads everything about an agent that a decision depends on, by agent id or by DID. */
export function spendingFactsReaders(parts: GroupedReadParts): PerEnvironment<ReadSpendingFacts> {
  const byId = groupedReaders<SpendingFactsQuery, FactsRow>(parts, {
    ...spendingFacts.byId,
    columns,
  });
  const byDid = groupedReaders<SpendingFactsQuery, FactsRow>(parts, {
    ...spendingFacts.byDid,
    columns,
  });
  return perEnvironment((environment) => {
    const readers = { byId: byId[environment], byDid: byDid[environment] };
    return (query) => (query.agentId === undefined ? readers.byDid : readers.byId)(query);
  });
}

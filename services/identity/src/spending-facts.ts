import { type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import type { GetSpendingFactsRequest } from '@countersign/proto/identity';
import type { Pool } from '@countersign/runtime/database';
import type { Metrics } from '@countersign/runtime/metrics';
import { askedTogether } from '@countersign/runtime/one-turn';
import { encodeTextArray } from '@countersign/runtime/sql-array';
import type { AgentRecord } from './agent/view.js';
import type { Store } from './db.js';
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

/** Answers a question about an agent in one statement with all others of the same moment. */
export type ReadSpendingFacts = (question: FactsQuestion) => Promise<FactsRow | undefined>;

type Parts = { stores: PerEnvironment<Store>; metrics: Metrics };

export function spendingFactsReaders({
  stores,
  metrics,
}: Parts): PerEnvironment<ReadSpendingFacts> {
  return perEnvironment((environment) => {
    const reading = (statement: Statement): ReadSpendingFacts =>
      askedTogether((questions) => {
        metrics.roundTrip('postgres');
        return readAll(stores[environment].pool, statement, questions);
      });
    const byId = reading(spendingFacts.byId);
    const byDid = reading(spendingFacts.byDid);
    return (question) => (question.agentId === undefined ? byDid : byId)(question);
  });
}

interface Statement {
  name: string;
  text: string;
}

async function readAll(
  pool: Pool,
  statement: Statement,
  questions: readonly FactsQuestion[],
): Promise<Array<FactsRow | undefined>> {
  const column = (textOf: (question: FactsQuestion) => string | undefined): Buffer =>
    encodeTextArray(questions.map((question) => textOf(question) ?? null));
  const { rows } = await pool.query<FactsRow & { place: number }>({
    ...statement,
    values: [
      column(({ clientId }) => clientId),
      column(({ principalId }) => principalId),
      column(({ agentId }) => agentId),
      column(({ agentDid }) => agentDid),
    ],
  });
  const found = new Array<FactsRow | undefined>(questions.length).fill(undefined);
  for (const row of rows) found[row.place - 1] = row;
  return found;
}

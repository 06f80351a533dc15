import type { OutcomeReport } from '@countersign/proto/ledger';
import type { PoolClient } from '@countersign/runtime/database';
import { insertOutcomesSql, insertReferencesSql, latestOutcomesSql } from '../sql.js';
import type { Matched } from './match.js';
import type { OutcomeRow } from './reconcile.js';

type Querying = Pick<PoolClient, 'query'>;

/** Somebody appended the same revision first: what was read before is no longer the latest. */
export class Overtaken extends Error {}

/** The latest revision of each outcome of these (authorization, type) pairs, by their name. */
export async function latestOutcomes(
  client: Querying,
  pairs: ReadonlyArray<Pick<OutcomeRow, 'authorizationId' | 'outcomeType'>>,
): Promise<Map<string, OutcomeRow>> {
  const distinct = [...new Map(pairs.map((pair) => [outcomeName(pair), pair])).values()];
  const { rows } = await client.query<OutcomeRow>(latestOutcomesSql, [
    distinct.map(({ authorizationId }) => authorizationId),
    distinct.map(({ outcomeType }) => outcomeType),
  ]);
  return new Map(rows.map((row) => [outcomeName(row), row]));
}

export function outcomeName(pair: Pick<OutcomeRow, 'authorizationId' | 'outcomeType'>): string {
  return `${pair.authorizationId} ${pair.outcomeType}`;
}

/** Appends revisions; throws Overtaken when one of them exists already. */
export async function appendOutcomes(client: Querying, rows: readonly OutcomeRow[]): Promise<void> {
  if (rows.length === 0) return;
  // One order for all, so that two batches cannot wait for each other.
  const sorted = [...rows].sort(
    (a, b) => compare(outcomeName(a), outcomeName(b)) || a.revision - b.revision,
  );
  const { rowCount } = await client.query(
    insertOutcomesSql,
    outcomeColumns.map((column) => sorted.map((row) => row[column])),
  );
  if (rowCount !== rows.length) throw new Overtaken();
}

const outcomeColumns = [
  'id',
  'revision',
  'authorizationId',
  'principalId',
  'outcomeType',
  'reportedAt',
  'reportedBy',
  'evidence',
  'notes',
  'externalReferenceId',
  'settledAmount',
  'settledCurrency',
  'settledAt',
  'createdAt',
] as const satisfies ReadonlyArray<keyof OutcomeRow>;

interface Learnt {
  authorizationId: string;
  principalId: string;
  kind: string;
  value: string;
}

const learntKinds = [
  { field: 'networkRrn', kind: 'network_rrn' },
  { field: 'txHash', kind: 'tx_hash' },
  { field: 'authCode', kind: 'auth_code' },
  { field: 'networkReference', kind: 'network_reference' },
  { field: 'chainId', kind: 'chain_id' },
] as const;

/** The references of a report that its authorization was recorded without. */
export function learntFrom(report: OutcomeReport, record: Matched): Learnt[] {
  return learntKinds.flatMap(({ field, kind }) => {
    const value = report[field];
    if (!value || record[field] !== null) return [];
    return { authorizationId: record.id, principalId: record.principalId, kind, value };
  });
}

/** The first that is learnt of a kind stays. */
export async function appendReferences(client: Querying, learnt: readonly Learnt[]): Promise<void> {
  if (learnt.length === 0) return;
  const sorted = [...learnt].sort((a, b) => compare(referenceName(a), referenceName(b)));
  await client.query(insertReferencesSql, [
    sorted.map(({ authorizationId }) => authorizationId),
    sorted.map(({ kind }) => kind),
    sorted.map(({ principalId }) => principalId),
    sorted.map(({ value }) => value),
  ]);
}

function referenceName({ authorizationId, kind }: Learnt): string {
  return `${authorizationId} ${kind}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

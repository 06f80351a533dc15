import type { OutcomeReport } from '@countersign/proto/ledger';
import type { PoolClient } from '@countersign/runtime/database';
import { insertOutcomesSql, insertReferencesSql, latestOutcomesSql } from '../sql.js';
import type { MatchedAuthorization } from './match.js';
import type { OutcomeRow } from './reconcile.js';

type Querying = Pick<PoolClient, 'query'>;

/** A concurrent writer has appended the same revision, so the state that was read is outdated. */
export class RevisionConflict extends Error {}

/** The latest revisions of the outcomes of these (authorization, type) pairs, by name. */
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

/** Appends revisions. Throws RevisionConflict if one of them exists already. */
export async function appendOutcomes(client: Querying, rows: readonly OutcomeRow[]): Promise<void> {
  if (rows.length === 0) return;
  // Sorted, so that concurrent batches cannot deadlock.
  const sorted = [...rows].sort(
    (a, b) => compare(outcomeName(a), outcomeName(b)) || a.revision - b.revision,
  );
  const { rowCount } = await client.query(
    insertOutcomesSql,
    outcomeColumns.map((column) => sorted.map((row) => row[column])),
  );
  if (rowCount !== rows.length) throw new RevisionConflict();
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

interface NewReference {
  authorizationId: string;
  principalId: string;
  kind: string;
  value: string;
}

const referenceKinds = [
  { field: 'networkRrn', kind: 'network_rrn' },
  { field: 'txHash', kind: 'tx_hash' },
  { field: 'authCode', kind: 'auth_code' },
  { field: 'networkReference', kind: 'network_reference' },
  { field: 'chainId', kind: 'chain_id' },
] as const;

/** The references of a report that its authorization does not have yet. */
export function newReferences(report: OutcomeReport, record: MatchedAuthorization): NewReference[] {
  return referenceKinds.flatMap(({ field, kind }) => {
    const value = report[field];
    if (!value || record[field] !== null) return [];
    return { authorizationId: record.id, principalId: record.principalId, kind, value };
  });
}

/** The first reference of each kind is kept. */
export async function appendReferences(
  client: Querying,
  added: readonly NewReference[],
): Promise<void> {
  if (added.length === 0) return;
  const sorted = [...added].sort((a, b) => compare(referenceName(a), referenceName(b)));
  await client.query(insertReferencesSql, [
    sorted.map(({ authorizationId }) => authorizationId),
    sorted.map(({ kind }) => kind),
    sorted.map(({ principalId }) => principalId),
    sorted.map(({ value }) => value),
  ]);
}

function referenceName({ authorizationId, kind }: NewReference): string {
  return `${authorizationId} ${kind}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

import type { Tenant } from '@countersign/proto/conventions';
import type { OutcomeReport } from '@countersign/proto/ledger';
import type { Pool } from '@countersign/runtime/database';
import { matchByIdSql, matchByReferenceSql } from '../sql.js';

/** The columns of an authorization that the processing of a report needs. */
export interface MatchedAuthorization {
  id: string;
  clientId: string;
  principalId: string;
  agentId: string | null;
  currency: string;
  rail: string;
  networkRrn: string | null;
  txHash: string | null;
  authCode: string | null;
  networkReference: string | null;
  chainId: string | null;
}

export type Match = { record: MatchedAuthorization } | { refused: 'NOT_FOUND' | 'TENANT_MISMATCH' };

/** The references by which a report can name its authorization, most specific first. */
const references = [
  { field: 'networkRrn', kind: 'network_rrn' },
  { field: 'txHash', kind: 'tx_hash' },
  { field: 'clientReference', kind: 'client_reference' },
] as const;

/**
 * Finds the authorization of each report by its id, or else by its first reference: the newest
 * authorization of this Principal with that reference.
 */
export async function matchReports(
  pool: Pool,
  tenant: Tenant,
  reports: readonly OutcomeReport[],
): Promise<Match[]> {
  const byId = await findByIds(pool, reports);
  const byReference = await findByReferences(pool, tenant, reports);
  return reports.map((report) => {
    if (!report.authorizationId) {
      const record = byReference.get(referenceOf(report)?.name ?? '');
      return record ? { record } : { refused: 'NOT_FOUND' };
    }
    const record = byId.get(report.authorizationId);
    if (!record || record.clientId !== tenant.clientId) return { refused: 'NOT_FOUND' };
    return record.principalId === tenant.principalId ? { record } : { refused: 'TENANT_MISMATCH' };
  });
}

async function findByIds(
  pool: Pool,
  reports: readonly OutcomeReport[],
): Promise<Map<string, MatchedAuthorization>> {
  const ids = [...new Set(reports.flatMap(({ authorizationId }) => authorizationId || []))];
  if (ids.length === 0) return new Map();
  const { rows } = await pool.query<MatchedAuthorization>(matchByIdSql, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

async function findByReferences(
  pool: Pool,
  { principalId }: Tenant,
  reports: readonly OutcomeReport[],
): Promise<Map<string, MatchedAuthorization>> {
  const named = reports.flatMap((report) => (!report.authorizationId && referenceOf(report)) || []);
  const found = new Map<string, MatchedAuthorization>();
  for (const { kind } of references) {
    const values = [
      ...new Set(named.filter((name) => name.kind === kind).map(({ value }) => value)),
    ];
    if (values.length === 0) continue;
    const { rows } = await pool.query<MatchedAuthorization & { value: string }>(
      matchByReferenceSql[kind],
      [principalId, values],
    );
    for (const { value, ...record } of rows) found.set(`${kind} ${value}`, record);
  }
  return found;
}

function referenceOf(report: OutcomeReport) {
  for (const { field, kind } of references) {
    const value = report[field];
    if (value) return { kind, value, name: `${kind} ${value}` };
  }
  return null;
}

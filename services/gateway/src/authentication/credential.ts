import type { Environment } from '@countersign/kernel/environment';
import type { Pool } from '@countersign/runtime/database';
import type { Metrics } from '@countersign/runtime/metrics';
import { type Cidr, isInside, parseCidrs } from '../http/client-ip.js';

export const credentialKinds = ['api_key', 'oauth_client', 'principal_key'] as const;
export type CredentialKind = (typeof credentialKinds)[number];

/**
 * What a credential may do within its scopes, each one all that those before it may: read, request
 * payments under the mandates that somebody else has granted, or everything.
 */
export const accesses = ['read', 'spend', 'full'] as const;
export type Access = (typeof accesses)[number];

export function covers(access: Access, needed: Access): boolean {
  return accesses.indexOf(access) >= accesses.indexOf(needed);
}

/** A credential as it is checked at every request; times in epoch milliseconds. */
export interface Credential {
  id: string;
  kind: CredentialKind;
  clientId: string;
  environment: Environment;
  principalId: string | null;
  oauthClientId: string | null;
  /** Empty means full access. */
  scopes: readonly string[];
  access: Access;
  /** Null means from anywhere; an empty list would mean from nowhere. */
  ipAllowlist: readonly Cidr[] | null;
  expiresAt: number | null;
  revoked: boolean;
  clientActive: boolean;
  version: number;
  secretHash: string;
  previousHash: string | null;
  /** Until when the secret before the last rotation is good. */
  previousExpiresAt: number | null;
}

/** A credential that names networks works from nowhere else. */
export function admitsAddress({ ipAllowlist }: Pick<Credential, 'ipAllowlist'>, ip: string) {
  return ipAllowlist === null || isInside(ip, ipAllowlist);
}

/** Why a credential cannot be used now, or null. `hash` is of the secret that was presented. */
export function credentialProblem(
  credential: Credential,
  hash: string | null,
  now: number,
): 'revoked' | 'expired' | 'refused' | null {
  if (!credential.clientActive) return 'refused';
  if (credential.revoked) return 'revoked';
  if (credential.expiresAt !== null && credential.expiresAt <= now) return 'expired';
  if (hash === null || hash === credential.secretHash) return null;
  const inGrace = hash === credential.previousHash && (credential.previousExpiresAt ?? 0) > now;
  return inGrace ? null : 'refused';
}

interface Row {
  id: string;
  kind: CredentialKind;
  client_id: string;
  environment: Environment;
  principal_id: string | null;
  oauth_client_id: string | null;
  secret_hash: string;
  previous_hash: string | null;
  previous_expires_at: Date | null;
  scopes: string[];
  access: Access;
  ip_allowlist: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
  version: number;
  client_status: string;
}

const columns = `
  c.id, c.kind, c.client_id, c.environment, c.principal_id, c.oauth_client_id, c.secret_hash,
  c.previous_hash, c.previous_expires_at, c.scopes, c.access, c.ip_allowlist, c.expires_at,
  c.revoked_at, c.version, coalesce(k.status, 'NONE') AS client_status`;

const storedColumns = `
  id, kind, client_id, environment, principal_id, oauth_client_id, secret_hash, previous_hash,
  previous_expires_at, scopes, access, ip_allowlist, expires_at, revoked_at, version`;

/**
 * Read in place of a credential that does not exist, so that the time an answer takes does not tell
 * an unknown credential from a revoked one.
 */
const decoyId = 'acr_none';
const decoy = `
  SELECT '${decoyId}' AS id, 'api_key' AS kind, 'cli_none' AS client_id, 'live' AS environment,
    NULL AS principal_id, NULL AS oauth_client_id, repeat('0', 64) AS secret_hash,
    NULL AS previous_hash, NULL::timestamptz AS previous_expires_at, '{}'::text[] AS scopes,
    'full' AS access,
    '{}'::text[] AS ip_allowlist, NULL::timestamptz AS expires_at, now() AS revoked_at,
    1 AS version`;

/** One credential by an indexed condition; the current secret counts before a previous one. */
function lookUp(...conditions: string[]): string {
  const found = conditions.map(
    (condition, rank) =>
      `SELECT ${rank} AS rank, ${storedColumns} FROM credential WHERE ${condition}`,
  );
  return `
    SELECT ${columns} FROM (
      ${found.join(' UNION ALL ')}
      UNION ALL SELECT ${found.length} AS rank, none.* FROM (${decoy}) none
    ) c LEFT JOIN client k ON k.id = c.client_id
    ORDER BY c.rank LIMIT 1`;
}

// Each condition is one probe of an index, whether it finds something or not.
const byHashSql = lookUp('secret_hash = $1', 'previous_hash = $1');
const byIdSql = lookUp('id = $1');
const byOauthClientIdSql = lookUp('oauth_client_id = $1');

/**
 * A database that is silent would keep a caller for seconds, and an authorization beyond its own
 * deadline. One that answers has cancelled a statement by then, or nearly.
 */
export const readDeadlineMs = 900;

/** Reads credentials as they are now; every read counts as a round trip. */
export class CredentialReader {
  readonly #pool: Pool;
  readonly #metrics: Metrics;

  constructor(pool: Pool, metrics: Metrics) {
    this.#pool = pool;
    this.#metrics = metrics;
  }

  byHash(hash: string): Promise<Credential | null> {
    return this.#read('credential_by_hash', byHashSql, hash);
  }

  byId(id: string): Promise<Credential | null> {
    return this.#read('credential_by_id', byIdSql, id);
  }

  byOauthClientId(clientId: string): Promise<Credential | null> {
    return this.#read('credential_by_oauth_client_id', byOauthClientIdSql, clientId);
  }

  async #read(name: string, text: string, value: string): Promise<Credential | null> {
    this.#metrics.roundTrip('postgres');
    const { rows } = await this.#pool.query<Row>({ name, text, values: [value] });
    const credential = rows[0] ? toCredential(rows[0]) : null;
    return credential?.id === decoyId ? null : credential;
  }
}

function toCredential(row: Row): Credential {
  return {
    id: row.id,
    kind: row.kind,
    clientId: row.client_id,
    environment: row.environment,
    principalId: row.principal_id,
    oauthClientId: row.oauth_client_id,
    scopes: row.scopes,
    access: row.access,
    ipAllowlist: row.ip_allowlist.length === 0 ? null : parseCidrs(row.ip_allowlist),
    expiresAt: row.expires_at?.getTime() ?? null,
    revoked: row.revoked_at !== null,
    clientActive: row.client_status === 'ACTIVE',
    version: row.version,
    secretHash: row.secret_hash,
    previousHash: row.previous_hash,
    previousExpiresAt: row.previous_expires_at?.getTime() ?? null,
  };
}

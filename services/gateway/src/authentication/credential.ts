import type { Environment } from '@countersign/kernel/environment';
import type { Pool } from '@countersign/runtime/database';
import type { Metrics } from '@countersign/runtime/metrics';
import { type Cidr, parseCidrs } from '../client-ip.js';

export const credentialKinds = ['api_key', 'oauth_client', 'principal_key'] as const;
export type CredentialKind = (typeof credentialKinds)[number];

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
  ip_allowlist: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
  version: number;
  client_status: string;
}

const columns = `
  c.id, c.kind, c.client_id, c.environment, c.principal_id, c.oauth_client_id, c.secret_hash,
  c.previous_hash, c.previous_expires_at, c.scopes, c.ip_allowlist, c.expires_at, c.revoked_at,
  c.version, k.status AS client_status`;

/**
 * Two index probes and one client row, always: the current secret counts before a previous one, and
 * a key that is unknown costs the same statement as one that was revoked.
 */
const byHashSql = `
  SELECT ${columns}
  FROM (SELECT 0 AS rank, * FROM credential WHERE secret_hash = $1
        UNION ALL
        SELECT 1 AS rank, * FROM credential WHERE previous_hash = $1) c
  JOIN client k ON k.id = c.client_id
  ORDER BY c.rank LIMIT 1`;

/** Primary key and unique index. */
const byIdSql = `
  SELECT ${columns} FROM credential c JOIN client k ON k.id = c.client_id WHERE c.id = $1`;
const byOauthClientIdSql = `
  SELECT ${columns} FROM credential c JOIN client k ON k.id = c.client_id
  WHERE c.oauth_client_id = $1`;

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
    return rows[0] ? toCredential(rows[0]) : null;
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

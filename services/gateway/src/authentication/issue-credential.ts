import type { Environment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import { inTransaction, type Pool, type PoolClient } from '@countersign/runtime/database';
import type { Parts } from './authentication.js';
import type { CredentialKind } from './credential.js';
import {
  type CredentialRecord,
  type CredentialTerms,
  recordColumns,
  unknownClient,
} from './credential-record.js';
import { hashSecret, newApiKey, newOauthClientId, newOauthSecret, secretHint } from './secrets.js';

interface NewCredential extends CredentialTerms {
  kind: CredentialKind;
  clientId: string;
  environment: Environment;
  /** Of a principal_key. */
  principalId: string | null;
}

interface Issued {
  record: CredentialRecord;
  secret: string;
}

/** Of one Principal, that are neither expired nor revoked: its Client makes them itself. */
export const maxPrincipalKeys = 100;

/**
 * Issues a credential; the secret is in the answer and nowhere else. 404 for an unknown Client, 422
 * where a Principal has as many keys as it may have.
 */
export function issueCredential({ pool, clock }: Parts, terms: NewCredential): Promise<Issued> {
  const { principalId } = terms;
  const now = new Date(clock());
  if (principalId === null) return insert(pool, terms, now);
  return inTransaction(pool, async (client) => {
    // Taken before the keys are counted, so that the next who counts sees this one.
    await client.query('SELECT pg_advisory_xact_lock(1, hashtext($1))', [principalId]);
    await assertRoom(client, principalId, now);
    return insert(client, terms, now);
  });
}

async function assertRoom(client: PoolClient, principalId: string, now: Date): Promise<void> {
  const { rows } = await client.query(
    `SELECT FROM credential
     WHERE principal_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
     LIMIT $3`,
    [principalId, now, maxPrincipalKeys],
  );
  if (rows.length < maxPrincipalKeys) return;
  throw new Fault('invalid', {
    code: 'too_many_sandbox_keys',
    message:
      `The Principal has ${maxPrincipalKeys} sandbox keys that are neither expired nor revoked, ` +
      'which is the most it can have. Use one of them, or have the operator revoke some.',
  });
}

async function insert(db: Pick<Pool, 'query'>, terms: NewCredential, now: Date): Promise<Issued> {
  const { environment, kind } = terms;
  const secret = kind === 'oauth_client' ? newOauthSecret() : newApiKey(environment);
  // The lock lets a suspension that comes later find the new row.
  const { rows } = await db.query<CredentialRecord>(
    `INSERT INTO credential (id, kind, client_id, environment, principal_id, oauth_client_id,
       secret_hash, hint, scopes, access, ip_allowlist, expires_at, label, created_at, updated_at)
     SELECT $1, $2, k.id, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14
     FROM (SELECT id FROM client WHERE id = $3 FOR SHARE) k
     RETURNING ${recordColumns}`,
    [
      newId('credential'),
      kind,
      terms.clientId,
      environment,
      terms.principalId,
      kind === 'oauth_client' ? newOauthClientId(environment) : null,
      hashSecret(secret),
      secretHint(secret),
      terms.scopes,
      terms.access,
      terms.ipAllowlist,
      terms.expiresAt,
      terms.label,
      now,
    ],
  );
  if (!rows[0]) throw unknownClient();
  return { record: rows[0], secret };
}

import { Fault, notFound } from '@countersign/kernel/fault';
import { notedUpdate } from './announcement-rows.js';
import type { Parts } from './authentication.js';
import { type CredentialRecord, type CredentialTerms, recordColumns } from './credential-record.js';
import { hashSecret, newApiKey, newOauthSecret, secretHint } from './secrets.js';

/**
 * A new secret; the one before it stays good for the grace time. A revoked credential is a 409. It
 * could be announced a moment before; where it cannot be any more, a caller whose former secret is
 * still good gets the new one nevertheless, since repeating the call would end both.
 */
export async function rotateCredential(
  parts: Parts,
  id: string,
  graceSeconds: number,
): Promise<{ record: CredentialRecord; secret: string }> {
  const current = await readRecord(parts, id);
  await parts.authentication.announcements.assertAble(current);
  const now = parts.clock();
  const { kind, environment } = current;
  const secret = kind === 'oauth_client' ? newOauthSecret() : newApiKey(environment);
  const record = await store(parts, id, {
    set: `secret_hash = $2, hint = $3, previous_expires_at = $4,
      previous_hash = CASE WHEN $4::timestamptz IS NULL THEN NULL ELSE secret_hash END`,
    values: [
      hashSecret(secret),
      secretHint(secret),
      graceSeconds === 0 ? null : new Date(now + graceSeconds * 1_000),
    ],
  });
  await parts.authentication.announcements.announce([record]).catch((fault: unknown) => {
    if (graceSeconds === 0) throw fault;
    parts.log.warn({ err: fault, credential: id }, 'a rotation may not hold everywhere yet');
  });
  return { record, secret };
}

/** What a credential may do now, for another that may do no more. */
export async function termsOf(parts: Parts, id: string): Promise<Omit<CredentialTerms, 'label'>> {
  const record = await readRecord(parts, id);
  const { scopes, access, ip_allowlist: ipAllowlist, expires_at: expiresAt } = record;
  return { scopes, access, ipAllowlist, expiresAt };
}

/**
 * For good, and at once on every replica. Revoking again changes nothing, but announces it again:
 * the process that revoked it may have ended, or still be waiting, before every replica knew.
 */
export async function revokeCredential(parts: Parts, id: string): Promise<CredentialRecord> {
  const revoking = { set: 'revoked_at = $2', values: [new Date(parts.clock())] };
  const revoked = (await update(parts, id, revoking)) ?? (await readRecord(parts, id));
  await parts.authentication.announcements.announce([revoked]);
  return revoked;
}

/** What is not named stays. Holds from the moment this resolves. */
export async function amendCredential(
  parts: Parts,
  id: string,
  terms: Partial<CredentialTerms>,
): Promise<CredentialRecord> {
  const columns = {
    scopes: terms.scopes,
    access: terms.access,
    ip_allowlist: terms.ipAllowlist,
    expires_at: terms.expiresAt,
    label: terms.label,
  };
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  await readRecord(parts, id);
  const amended = await store(parts, id, {
    set: given.map(([column], index) => `${column} = $${index + 2}`).join(', '),
    values: given.map(([, value]) => value),
  });
  await parts.authentication.announcements.announce([amended]);
  return amended;
}

async function readRecord({ pool }: Parts, id: string): Promise<CredentialRecord> {
  const { rows } = await pool.query<CredentialRecord>(
    `SELECT ${recordColumns} FROM credential WHERE id = $1`,
    [id],
  );
  if (!rows[0]) throw notFound('NOT_FOUND', 'There is no such credential.');
  return rows[0];
}

/** Columns to set, as SQL whose parameters begin with $2, and their values. */
interface Change {
  set: string;
  values: unknown[];
}

/** A revoked credential is a 409. */
async function store(parts: Parts, id: string, what: Change): Promise<CredentialRecord> {
  const stored = await update(parts, id, what);
  if (stored) return stored;
  throw new Fault('conflict', { code: 'CONFLICT', message: 'The credential is revoked.' });
}

/** Null if there is no such credential, or if it is revoked. */
async function update(
  parts: Pick<Parts, 'pool' | 'clock'>,
  id: string,
  { set, values }: Change,
): Promise<CredentialRecord | null> {
  const updatedAt = `$${values.length + 2}`;
  const { rows } = await parts.pool.query<CredentialRecord>(
    notedUpdate(
      `UPDATE credential
       SET ${set}, version = version + 1, updated_at = ${updatedAt}
       WHERE id = $1 AND revoked_at IS NULL`,
      recordColumns,
    ),
    [id, ...values, new Date(parts.clock())],
  );
  return rows[0] ?? null;
}

import { isoTime } from '@countersign/kernel/clock';
import type { z } from 'zod';
import {
  amendCredential,
  revokeCredential,
  rotateCredential,
} from '../authentication/credential-changes.js';
import { type CredentialRecord, recordColumns } from '../authentication/credential-record.js';
import { issueCredential } from '../authentication/issue-credential.js';
import { somethingToUpdate } from '../checks/something-to-update.js';
import type { Context } from '../context.js';
import type * as answers from './answers.js';
import { existingClient } from './clients.js';
import { listPage } from './page.js';
import type { Answer, OperatorRequest } from './route.js';
import type {
  credentialChange,
  newCredential,
  ofClient,
  ofCredential,
  page,
  rotation,
} from './schemas.js';

type Of<P extends z.ZodType, B extends z.ZodType> = OperatorRequest<
  z.output<P>,
  unknown,
  z.output<B>
>;

export async function createCredential(
  context: Context,
  { params, body }: Of<typeof ofClient, typeof newCredential>,
): Promise<Answer<typeof answers.issuedCredential>> {
  const { record, secret } = await issueCredential(context, {
    kind: body.kind,
    clientId: params.id,
    environment: body.environment,
    principalId: null,
    scopes: body.scopes ?? [],
    access: body.access ?? 'full',
    ipAllowlist: body.ip_allowlist ?? [],
    expiresAt: body.expires_at ? new Date(body.expires_at) : null,
    label: body.label ?? null,
  });
  return { status: 201, body: { ...credentialView(record), ...secretsOf(record, secret) } };
}

export async function listCredentials(
  context: Context,
  { params, query }: OperatorRequest<z.output<typeof ofClient>, z.output<typeof page>>,
): Promise<Answer<typeof answers.credentialPage>> {
  const { id } = await existingClient(context, params.id);
  return listPage(context, query, {
    list: 'credentials',
    of: [id],
    select: `SELECT ${recordColumns} FROM credential WHERE client_id = $1`,
    view: credentialView,
  });
}

export async function rotate(
  context: Context,
  { params, body }: Of<typeof ofCredential, typeof rotation>,
): Promise<Answer<typeof answers.issuedCredential>> {
  const { record, secret } = await rotateCredential(context, params.id, body.grace_seconds);
  return { status: 200, body: { ...credentialView(record), ...secretsOf(record, secret) } };
}

export async function revoke(
  context: Context,
  { params }: OperatorRequest<z.output<typeof ofCredential>>,
): Promise<Answer<typeof answers.revocation>> {
  const { id, revoked_at: revokedAt } = await revokeCredential(context, params.id);
  if (revokedAt === null) throw new Error('a revoked credential without the time of it');
  return { status: 200, body: { id, revoked_at: isoTime(revokedAt.getTime()) } };
}

export async function updateCredential(
  context: Context,
  { params, body }: Of<typeof ofCredential, typeof credentialChange>,
): Promise<Answer<typeof answers.credential>> {
  somethingToUpdate(body);
  const { expires_at: expiresAt } = body;
  const record = await amendCredential(context, params.id, {
    ...(body.scopes && { scopes: body.scopes }),
    ...(body.access && { access: body.access }),
    ...(body.ip_allowlist && { ipAllowlist: body.ip_allowlist }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : new Date(expiresAt) }),
    ...(body.label !== undefined && { label: body.label }),
  });
  return { status: 200, body: credentialView(record) };
}

/** Never a secret and never a hash; the hint is what a human tells keys apart by. */
function credentialView(record: CredentialRecord) {
  return {
    id: record.id,
    kind: record.kind,
    client_id: record.client_id,
    environment: record.environment,
    principal_id: record.principal_id,
    oauth_client_id: record.oauth_client_id,
    scopes: record.scopes.join(','),
    access: record.access,
    ip_allowlist: record.ip_allowlist,
    label: record.label,
    hint: record.hint,
    expires_at: timeOrNull(record.expires_at),
    previous_expires_at: timeOrNull(record.previous_expires_at),
    revoked_at: timeOrNull(record.revoked_at),
    created_at: isoTime(record.created_at.getTime()),
  };
}

/** Shown once. */
function secretsOf({ kind }: CredentialRecord, secret: string) {
  return kind === 'oauth_client' ? { client_secret: secret } : { api_key: secret };
}

function timeOrNull(time: Date | null): string | null {
  return time && isoTime(time.getTime());
}

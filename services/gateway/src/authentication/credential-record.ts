import type { Environment } from '@countersign/kernel/environment';
import { type Fault, notFound } from '@countersign/kernel/fault';
import type { Access, CredentialKind } from './credential.js';

/** A row of the table `credential`, without its hashes. */
export interface CredentialRecord {
  id: string;
  kind: CredentialKind;
  client_id: string;
  environment: Environment;
  principal_id: string | null;
  oauth_client_id: string | null;
  hint: string;
  scopes: string[];
  access: Access;
  ip_allowlist: string[];
  label: string | null;
  version: number;
  expires_at: Date | null;
  revoked_at: Date | null;
  previous_expires_at: Date | null;
  created_at: Date;
}

export interface CredentialTerms {
  scopes: string[];
  access: Access;
  ipAllowlist: string[];
  expiresAt: Date | null;
  label: string | null;
}

export const recordColumns = `
  id, kind, client_id, environment, principal_id, oauth_client_id, hint, scopes, access,
  ip_allowlist, label, version, expires_at, revoked_at, previous_expires_at, created_at`;

export function unknownClient(): Fault {
  return notFound('NOT_FOUND', 'There is no such Client.');
}

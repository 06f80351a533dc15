import type { PerEnvironment } from '@countersign/kernel/environment';
import {
  type GroupedRead,
  type GroupedReadParts,
  groupedReaders,
} from '@countersign/runtime/sharing/grouped-read';
import { namedPrincipals } from './sql.js';

export interface ActingPrincipalRow {
  id: string;
  verificationStatus: string;
  verificationExpiresAt: Date | null;
}

interface PrincipalKey {
  clientId: string;
  principalId: string;
}

export type ReadNamedPrincipal = GroupedRead<PrincipalKey, ActingPrincipalRow>;

/** Reads a Principal by id, if it belongs to the Client. */
export function namedPrincipalReaders(parts: GroupedReadParts): PerEnvironment<ReadNamedPrincipal> {
  return groupedReaders<PrincipalKey, ActingPrincipalRow>(parts, {
    ...namedPrincipals,
    columns: [({ clientId }) => clientId, ({ principalId }) => principalId],
  });
}

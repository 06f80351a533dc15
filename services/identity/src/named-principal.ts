import type { PerEnvironment } from '@countersign/kernel/environment';
import {
  type GroupedRead,
  type GroupedReadParts,
  groupedReaders,
} from '@countersign/runtime/grouped-read';
import { namedPrincipals } from './sql.js';

export interface ActingRow {
  id: string;
  verificationStatus: string;
  verificationExpiresAt: Date | null;
}

interface Question {
  clientId: string;
  principalId: string;
}

export type ReadNamedPrincipal = GroupedRead<Question, ActingRow>;

/** A Principal by its id, where it is the Client's. */
export function namedPrincipalReaders(parts: GroupedReadParts): PerEnvironment<ReadNamedPrincipal> {
  return groupedReaders<Question, ActingRow>(parts, {
    ...namedPrincipals,
    columns: [({ clientId }) => clientId, ({ principalId }) => principalId],
  });
}

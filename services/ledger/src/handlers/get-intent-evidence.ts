import { isoTime } from '@countersign/kernel/clock';
import { Fault } from '@countersign/kernel/fault';
import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { evidenceContext } from '../commit/intent.js';
import type { Context } from '../context.js';
import { intentEvidenceSql } from '../sql.js';

interface EvidenceRow {
  sealedChain: Buffer;
  sealedBy: string;
  createdAt: Date;
}

/** Returns what user and agent signed, as evidence in a dispute. */
export function getEvidence(context: Context): Handlers<LedgerDefinition>['GetIntentEvidence'] {
  return async ({ authorizationId }, { environment }) => {
    const { pool } = context.stores[environment];
    const { rows } = await pool.query<EvidenceRow>(intentEvidenceSql, [authorizationId]);
    const [row] = rows;
    if (!row) {
      throw new Fault('not_found', {
        code: 'NOT_FOUND',
        message: 'There is no vi_chain for an authorization with this id.',
      });
    }
    const sealed = { keyId: row.sealedBy, bytes: row.sealedChain };
    return {
      authorizationId,
      chainJson: context.cipher.open(sealed, evidenceContext(authorizationId)),
      receivedAt: isoTime(row.createdAt.getTime()),
    };
  };
}

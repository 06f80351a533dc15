import { isoTime } from '@countersign/kernel/clock';
import { Fault } from '@countersign/kernel/fault';
import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { evidencePlace } from '../commit/intent.js';
import type { Context } from '../context.js';
import { intentEvidenceSql } from '../sql.js';

interface EvidenceRow {
  sealedChain: Buffer;
  sealedBy: string;
  createdAt: Date;
}

/** For a dispute: what the user and the agent signed. */
export function getEvidence(context: Context): Handlers<LedgerDefinition>['GetIntentEvidence'] {
  return async ({ authorizationId }, { environment }) => {
    const { pool } = context.stores[environment];
    const { rows } = await pool.query<EvidenceRow>(intentEvidenceSql, [authorizationId]);
    const [row] = rows;
    if (!row) {
      throw new Fault('not_found', {
        code: 'NOT_FOUND',
        message: 'No vi_chain came with an authorization of this id.',
      });
    }
    const sealed = { keyId: row.sealedBy, bytes: row.sealedChain };
    return {
      authorizationId,
      chainJson: context.cipher.open(sealed, evidencePlace(authorizationId)),
      receivedAt: isoTime(row.createdAt.getTime()),
    };
  };
}

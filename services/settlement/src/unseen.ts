import { Fault } from '@countersign/kernel/fault';
import type { ReportSettlementRequest } from '@countersign/proto/settlement';
import type { Pool } from '@countersign/runtime/database';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import { unseenSql } from './sql.js';

const maxOfAuthorization = 20;
const maxOfPrincipal = 1_000;
const retryAfterSeconds = 60;

/**
 * Throws 429 if many transactions were reported that no node has known yet. Hashes cost nothing,
 * and each is looked for during a day, with requests that the chain's other settlements need. A
 * report is good later: while the nodes of a chain are away, no transaction is seen. Concurrent
 * reports may exceed a limit by one another.
 */
export async function requireFewUnseen(
  pool: Pool,
  request: ReportSettlementRequest,
): Promise<void> {
  const { principalId } = tenantOf(request);
  const { rows } = await pool.query<{ ofAuthorization: number; ofPrincipal: number }>(unseenSql, [
    principalId,
    request.authorizationId,
  ]);
  const { ofAuthorization = 0, ofPrincipal = 0 } = rows[0] ?? {};
  if (ofAuthorization >= maxOfAuthorization) throw tooMany(maxOfAuthorization, 'authorization');
  if (ofPrincipal >= maxOfPrincipal) throw tooMany(maxOfPrincipal, 'Principal');
}

function tooMany(count: number, of: string): Fault {
  return new Fault('exhausted', {
    retryAfterSeconds,
    message: `${count} transactions of this ${of} have not been seen on chain; try again later.`,
  });
}

import { Fault } from '@countersign/kernel/fault';
import type { AuthorizationEntry } from '@countersign/proto/ledger';
import type { ReportSettlementRequest } from '@countersign/proto/settlement';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Context } from './context.js';
import { tenantOf } from './settlement.js';
import { type ApprovedTransfer, approvedTransfer } from './transfer.js';

export interface Approved {
  currency: string;
  transfer: ApprovedTransfer;
}

/** The transfer that the caller's authorization approves; 400 where there is none. */
export async function approvedAuthorization(
  context: Context,
  request: ReportSettlementRequest,
  call: Call,
): Promise<Approved> {
  const entry = await readEntry(context, request, call);
  const transfer = entry && entry.rail === 'CRYPTO' ? approvedTransfer(entry) : null;
  const approved = entry?.decision === 'APPROVE' && transfer?.operation === 'transfer';
  if (!entry || !transfer || !approved) {
    throw new Fault('malformed', {
      code: 'BAD_REQUEST',
      message: 'The authorization is not an approved crypto transfer of yours.',
    });
  }
  return { currency: entry.currency, transfer };
}

async function readEntry(
  context: Context,
  request: ReportSettlementRequest,
  call: Call,
): Promise<AuthorizationEntry | null> {
  const { authorizationId } = request;
  const { environment, requestId, deadlineAt, trace } = call;
  const options = {
    environment,
    requestId,
    deadlineMs: Math.max(1, deadlineAt - Date.now()),
    trace,
  };
  try {
    const tenant = tenantOf(request);
    return await context.ledger.call.GetAuthorization({ tenant, authorizationId }, options);
  } catch (error) {
    // Nobody's, another Client's and a sibling's are one and the same here.
    const hidden = error instanceof Fault && /^(not_found|forbidden)$/.test(error.kind);
    if (hidden) return null;
    throw error;
  }
}

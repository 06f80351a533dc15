import { Fault } from '@countersign/kernel/fault';
import { type RecordedTransfer, recordedTransfer } from '@countersign/kernel/recorded-transfer';
import type { Tenant } from '@countersign/proto/conventions';
import type { AuthorizationEntry } from '@countersign/proto/ledger';
import type { ReportSettlementRequest } from '@countersign/proto/settlement';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Context } from './context.js';

interface Approved {
  currency: string;
  transfer: RecordedTransfer;
}

/** The transfer that the caller's authorization approved; throws 400 if there is none. */
export async function approvedAuthorization(
  context: Context,
  request: ReportSettlementRequest,
  call: Call,
): Promise<Approved> {
  const entry = await findAuthorization(context, request, call);
  const transfer = entry && entry.rail === 'CRYPTO' ? recordedTransfer(entry.factsJson) : null;
  const approved = entry?.decision === 'APPROVE' && transfer?.operation === 'transfer';
  if (!entry || !transfer || !approved) {
    throw new Fault('malformed', {
      code: 'BAD_REQUEST',
      message: 'You have no approved crypto transfer with this authorization_id.',
    });
  }
  return { currency: entry.currency, transfer };
}

/** Null for an unknown authorization and for one of another Client or Principal alike. */
async function findAuthorization(
  context: Context,
  request: ReportSettlementRequest,
  call: Call,
): Promise<AuthorizationEntry | null> {
  try {
    return await readAuthorization(context, request, call);
  } catch (error) {
    const isHidden = error instanceof Fault && /^(not_found|forbidden)$/.test(error.kind);
    if (isHidden) return null;
    throw error;
  }
}

/** Reads the authorization from the ledger, which checks that it belongs to the tenant. */
export function readAuthorization(
  context: Context,
  request: { tenant: Tenant | null; authorizationId: string },
  { environment, requestId, deadlineAt, trace }: Call,
): Promise<AuthorizationEntry> {
  const { authorizationId } = request;
  const deadlineMs = Math.max(1, deadlineAt - Date.now());
  return context.ledger.call.GetAuthorization(
    { tenant: tenantOf(request), authorizationId },
    { environment, requestId, deadlineMs, trace },
  );
}

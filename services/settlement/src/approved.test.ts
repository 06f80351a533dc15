import { Fault } from '@countersign/kernel/fault';
import type { ReportSettlementRequest } from '@countersign/proto/settlement';
import type { Call } from '@countersign/runtime/grpc-types';
import { test } from 'tap';
import { approvedAuthorization } from './approved.js';
import type { Context } from './context.js';

const request = {
  tenant: { clientId: 'cli_1', principalId: 'prn_1' },
  authorizationId: 'aut_1',
} as ReportSettlementRequest;
const call = { environment: 'sandbox', requestId: 'r', deadlineAt: Date.now() + 60_000 } as Call;

/** What is said of a settlement when the ledger refuses to show its authorization so. */
async function saidOf(kind: 'not_found' | 'forbidden' | 'unavailable'): Promise<unknown> {
  const GetAuthorization = async () => {
    throw new Fault(kind, { code: kind.toUpperCase(), message: 'no' });
  };
  const context = { ledger: { call: { GetAuthorization } } } as unknown as Context;
  return approvedAuthorization(context, request, call).catch((error: unknown) => error);
}

test('only an authorization that its caller may not see is said not to exist', async (t) => {
  for (const kind of ['not_found', 'forbidden'] as const) {
    t.match(await saidOf(kind), { kind: 'malformed', code: 'BAD_REQUEST' }, kind);
  }
  t.match(await saidOf('unavailable'), { kind: 'unavailable' }, 'a ledger that is away');
});

import type { Fault } from '@countersign/kernel/fault';
import { test } from 'tap';
import { routes } from '../routes.js';
import { requireVerifiedPrincipal } from './acting-principal.js';
import type { RequestContext } from './state.js';

async function refused(row: (typeof routes)[number], verificationStatus: string | null) {
  try {
    await requireVerifiedPrincipal(row)({ state: { verificationStatus } } as RequestContext);
    return undefined;
  } catch (error) {
    return (error as Fault).code;
  }
}

test('who is not verified reads, reports and is told, and opens no other row', async (t) => {
  const opened: string[] = [];
  for (const row of routes.filter(({ plane }) => plane === 'runtime')) {
    t.equal(await refused(row, 'VERIFIED'), undefined, row.operation);
    if (row.method === 'GET') {
      t.equal(await refused(row, null), undefined, row.operation);
      continue;
    }
    const codes = ['PENDING', 'FAILED', 'EXPIRED', null].map((status) => refused(row, status));
    const told = new Set(await Promise.all(codes));
    t.equal(told.size, 1, `${row.operation} for whoever is not verified`);
    if (told.has(undefined)) opened.push(row.operation);
    else t.ok(told.has('KYC_REQUIRED'), row.operation);
  }
  t.same(opened.sort(), [
    'previewThresholds',
    'reportOutcome',
    'reportOutcomes',
    'reportSettlement',
  ]);
});

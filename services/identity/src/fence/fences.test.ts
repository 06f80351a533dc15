import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { test } from 'tap';
import { Fences, type FencesOptions } from './fences.js';

const log = createLog({ service: 'test', level: 'silent' });

/** A stub with `pending` fences per read, which never become fewer. */
function fencesWith(pending: number) {
  const rows = Array.from({ length: pending }, (_, n) => ({
    ...{ entityId: `mnd_${n}`, version: 2, revoked: false },
  }));
  let sent = 0;
  const Fence = async () => {
    sent += 1;
    return {};
  };
  const fences = new Fences({
    ...{ environment: 'live', log, metrics: new Metrics('test'), retryMs: 1_000 },
    pool: { query: async () => ({ rows }) } as unknown as FencesOptions['pool'],
    ledger: { call: { Fence } } as unknown as FencesOptions['ledger'],
  });
  const call = { environment: 'live', requestId: 'req_1', log } as const;
  const deliver = (ids: string[]) =>
    fences.deliver(ids, { ...call, deadlineAt: Date.now() + 60_000 });
  return { deliver, sent: () => sent };
}

test('a call without fences does not read any', async (t) => {
  const { deliver, sent } = fencesWith(500);
  await deliver([]);
  t.equal(sent(), 0);
});

test('a call with more fences than it may send fails instead of returning early', async (t) => {
  const { deliver, sent } = fencesWith(500);
  await t.rejects(deliver(['mnd_1']), { kind: 'unavailable', code: 'SERVICE_UNAVAILABLE' });
  t.equal(sent(), 100);
});

test('a batch that is not full is the last one', async (t) => {
  const { deliver, sent } = fencesWith(499);
  await deliver(['mnd_1']);
  t.equal(sent(), 1);
});

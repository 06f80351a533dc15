import type { Pool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { test } from 'tap';
import type { Job } from './deliver.js';
import { deliveryMetrics } from './delivery-metrics.js';
import { recordAttempt } from './record.js';
import type { AttemptResult } from './retry.js';

const job = {
  ...{ id: 'whd_1', webhook_id: 'wh_1', principal_id: 'prn_1', event_id: 'evt_1' },
  ...{ event: 'gate.fired', data: '{}', attempt_count: 0, attempts_left: 5, lease: 'one' },
  ...{ url: 'https://8.8.8.8/hook', active: true, secret: Buffer.alloc(1), secret_key_id: 'k' },
  ...{ previous_secret: null, previous_secret_key_id: null, trace: null },
} satisfies Job;
const taken: AttemptResult = {
  ...{ at: '2026-11-21T09:30:00.000Z', statusCode: 200, error: null, durationMs: 1 },
};

/** Of a database that is away for the first statements. */
function recordingWith(failures: number) {
  let asked = 0;
  const query = async () => {
    asked += 1;
    if (asked <= failures) throw new Error('away');
    return { rows: [{ active: true }] };
  };
  const recorded = recordAttempt(job, taken, {
    ...{ environment: 'live', pool: { query } as unknown as Pool, retryBaseMs: 1 },
    metrics: deliveryMetrics(new Metrics('test')),
    log: createLog({ service: 'test', level: 'silent' }),
  });
  return { recorded, asked: () => asked };
}

test('the result of an attempt is stored although the database was away', async (t) => {
  const { recorded, asked } = recordingWith(2);
  t.equal(await recorded, 'delivered');
  t.equal(asked(), 3);
});

test('what cannot be stored is given up, so that it holds no slot for ever', async (t) => {
  const { recorded, asked } = recordingWith(10);
  await t.rejects(recorded, { message: 'away' });
  t.equal(asked(), 3);
});

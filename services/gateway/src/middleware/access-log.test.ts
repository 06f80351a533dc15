import { Fault, type FaultKind } from '@countersign/kernel/fault';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { test } from 'tap';
import type { Context } from '../context.js';
import { OauthRefusal } from '../errors/oauth-refusal.js';
import { unknownPath } from '../errors/refusal.js';
import { accessLog } from './access-log.js';
import { answerErrors } from './answer-errors.js';
import type { RequestContext, RequestState } from './state.js';

test('alerts see the first answers to payments, since their counters start at 0', async (t) => {
  const metrics = new Metrics('gateway');
  const log = createLog({ service: 'gateway', level: 'silent' });
  accessLog({ log, metrics, lines: false, listener: 'operator' });
  accessLog({ log, metrics, lines: false, listener: 'public' });
  const text = (await metrics.registry.metrics()).replace(/,?service="gateway",?/g, '');
  const payments = 'method="POST",path="/api/v1/authorize"';
  t.same(text.match(/^countersign_http_\w+_(count|total){.+$/gm), [
    `countersign_http_public_seconds_count{${payments},status="200"} 0`,
    `countersign_http_public_seconds_count{${payments},status="429"} 0`,
    'countersign_http_public_failed_total{path="/api/v1/authorize"} 0',
  ]);
});

test('an outage or a defect is a failure, and no mistake of the caller and no limit', (t) => {
  const level: string[] = [];
  const log = { warn: () => level.push('warn'), error: () => level.push('error') };
  const clock = () => 0;
  const config = { baseUrl: '', rateLimitMultiplier: 1 };
  const answer = answerErrors({ config, log, clock } as unknown as Context);
  const told = (thrown: unknown) => {
    level.length = 0;
    const state = { headers: {}, requestId: 'req_1' } as RequestState;
    answer({ state, req: { headers: {} } } as unknown as RequestContext, thrown);
    return [state.failed, ...level];
  };
  const fault = (kind: FaultKind, cause?: Error) =>
    told(new Fault(kind, { code: 'ERROR', message: 'No.', cause }));
  const cause = new Error('why');
  for (const kind of [
    'invalid',
    'malformed',
    'unauthenticated',
    'not_found',
    'conflict',
  ] as const) {
    t.same([fault(kind), fault(kind, cause)], [[false], [false]], kind);
  }
  t.same(fault('exhausted'), [false], 'a limit');
  t.same(fault('exhausted', cause), [true, 'warn'], 'nothing could be decided');
  for (const kind of ['unavailable', 'deadline'] as const)
    t.same(fault(kind), [true, 'warn'], kind);
  t.same(fault('internal'), [true, 'error']);
  t.same(told(cause), [true, 'error']);
  t.same(told(unknownPath()), [false]);
  t.same(told(new OauthRefusal('invalid_client', 'No.')), [false]);
  t.end();
});

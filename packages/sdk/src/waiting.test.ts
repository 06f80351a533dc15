/** Waiting for a human to answer a challenge. */
import { test } from 'tap';
import type { WaitOptions } from './index.js';
import { inTurn, refused, serve, thrown } from './test/service.js';

test('an abort ends a wait with its reason too', async (t) => {
  const step_up = { status: 'PENDING' };
  const service = await serve(t, () => ({ body: { id: 'auth_1', step_up } }));
  const controller = new AbortController();
  const reason = new Error('the user went away');
  const fetched: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    setImmediate(() => controller.abort(reason));
    return response;
  };
  const { signal } = controller;
  const waiting = service.client({ fetch: fetched }).stepUps.answered('auth_1', { signal });
  t.equal(await thrown(waiting), reason);
});

test('a wait for a human outlives an outage, and ends with it at last', async (t) => {
  const entry = (status: string) => ({ body: { id: 'auth_1', step_up: { status } } });
  const away = refused(503, 'SERVICE_UNAVAILABLE');
  const answers = [entry('PENDING'), away, away, refused(429, 'RATE_LIMITED')];
  const service = await serve(t, inTurn(...answers, entry('CONFIRMED')));
  const client = service.client({ maxRetries: 0 });
  const found = await client.stepUps.answered('auth_1', { everyMs: 1 });
  t.equal(found.step_up?.status, 'CONFIRMED');
  const down = (await serve(t, () => away)).client({ maxRetries: 0 });
  const error = await thrown(down.stepUps.answered('auth_1', { everyMs: 2, forMs: 1 }));
  t.match(error, { code: 'SERVICE_UNAVAILABLE' });
});

test('a time that is none is said, and nobody is asked meanwhile', async (t) => {
  const service = await serve(t, inTurn({ body: { id: 'auth_1', step_up: null } }));
  const { stepUps } = service.client();
  const none = [Number.NaN, -1, 0, 0.5, 86_400_001, Number.POSITIVE_INFINITY, '2000', null];
  for (const name of ['forMs', 'everyMs']) {
    for (const value of none) {
      const error = await thrown(stepUps.answered('auth_1', { [name]: value } as WaitOptions));
      const message = `${name} must be a whole number from 1 to 86400000.`;
      t.match(error, { name: 'ConfigurationError', message }, `${name}: ${value}`);
    }
  }
  t.same(service.received, []);
});

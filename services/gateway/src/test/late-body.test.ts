import { request } from 'node:http';
import { until } from '@countersign/runtime/testing';
import { t as file, test } from 'tap';
import { routes } from '../routes.js';
import { startPaying } from './paying.js';

const { world, services, options, key, body, close } = await startPaying();
file.teardown(close);
const deadlineMs = 1_000;

test('the time that a body takes is not taken from its decision', async (t) => {
  const env = { ...options, AUTHORIZE_DEADLINE_MS: String(deadlineMs) };
  const replica = await world.replica(env, { routes });
  services.on('Authorize', () => ({ answer: '{"decision":"APPROVE"}' }));
  const text = JSON.stringify(body);
  const sending = request(`${replica.url}/api/v1/authorize`, {
    method: 'POST',
    headers: {
      'x-api-key': key,
      'content-type': 'application/json',
      'content-length': text.length,
      expect: '100-continue',
    },
  });
  const answered = new Promise<string>((resolve, reject) => {
    sending.on('error', reject).on('response', async (response) => {
      resolve(Buffer.concat(await response.toArray()).toString());
    });
  });
  await new Promise((resolve) => sending.on('continue', resolve).flushHeaders());
  const beganAt = performance.now();
  sending.write(text.slice(0, 10));
  await until(() => performance.now() - beganAt > 1.5 * deadlineMs, { what: 'a slow sender' });
  sending.end(text.slice(10));
  t.equal(await answered, '{"decision":"APPROVE"}');
});

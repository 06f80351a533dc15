import { type OutgoingHttpHeaders, request } from 'node:http';
import { until } from '@countersign/runtime/testing';
import { t as file, test } from 'tap';
import { routes } from '../routes.js';
import { startPaying } from './paying.js';
import { adminKey } from './world.js';

const { world, services, gateway, options, key, body, authorize, close } = await startPaying();
file.teardown(close);

interface Slow {
  url: string;
  headers: OutgoingHttpHeaders;
  body: unknown;
  /** Between the beginning of the body and its end. */
  forMs: number;
}

/** The answer to a request whose body takes its time. */
async function sentSlowly({ url, headers, body, forMs }: Slow): Promise<string> {
  const text = JSON.stringify(body);
  const sending = request(url, {
    method: 'POST',
    headers: {
      ...headers,
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
  await until(() => performance.now() - beganAt > forMs, { what: 'a slow sender' });
  sending.end(text.slice(10));
  return answered;
}

test('the time that a body takes is not taken from its decision', async (t) => {
  const deadlineMs = 3_000;
  const env = { ...options, AUTHORIZE_DEADLINE_MS: String(deadlineMs) };
  const replica = await world.replica(env, { routes });
  services.on('Authorize', () => ({ answer: '{"decision":"APPROVE"}' }));
  await authorize(body, replica);
  const url = `${replica.url}/api/v1/authorize`;
  const headers = { 'x-api-key': key };
  const answer = await sentSlowly({ url, headers, body, forMs: deadlineMs + 500 });
  t.equal(answer, '{"decision":"APPROVE"}');
});

test('nor is it from what an operator asks for', async (t) => {
  const deadlineMs = 5_000;
  let leftMs = 0;
  services.on('RotateSigningKey', (_, { deadlineAt }) => {
    leftMs = deadlineAt - Date.now();
    return { activeKid: 'one', nextKid: 'two' };
  });
  const url = `${gateway.internalUrl}/internal/v1/signing-keys/rotate`;
  const headers = { 'x-admin-key': adminKey };
  const rotation = { environment: 'live' };
  const answer = await sentSlowly({ url, headers, body: rotation, forMs: deadlineMs });
  t.same(JSON.parse(answer), { active_kid: 'one', next_kid: 'two' });
  t.ok(leftMs > deadlineMs / 2, `${leftMs} ms were left`);
});

import { test } from 'tap';
import { type AttemptError, backoffMs, maxAttempts, verdictOf } from './retry.js';

test('2xx is delivered, some statuses are retried, all others are final', async (t) => {
  const retried = [408, 423, 425, 429, 500, 501, 502, 503, 504, 599];
  for (let statusCode = 200; statusCode < 620; statusCode += 1) {
    const expected =
      statusCode < 300 ? 'delivered' : retried.includes(statusCode) ? 'retry' : 'failed';
    const inFives = statusCode >= 500 && statusCode < 600;
    t.equal(verdictOf({ statusCode, error: null }), inFives ? 'retry' : expected, `${statusCode}`);
  }
  const verdict = (error: AttemptError) => verdictOf({ statusCode: null, error });
  for (const error of ['TIMEOUT', 'CONNECT_TIMEOUT', 'CONNECTION_FAILED', 'TLS_FAILED'] as const) {
    t.equal(verdict(error), 'retry', error);
  }
  t.equal(verdict('ADDRESS_REFUSED'), 'failed');
  t.equal(verdict('URL_REFUSED'), 'failed');
});

test('retry delays double from the base, with a jitter of 20 %', async (t) => {
  const pauses = [4, 3, 2, 1].map((left) => backoffMs(left, 1_000, () => 0.5));
  t.same(pauses, [1_000, 2_000, 4_000, 8_000]);
  t.equal(pauses.length, maxAttempts - 1);
  t.equal(
    backoffMs(4, 1_000, () => 0),
    800,
  );
  t.equal(
    backoffMs(4, 1_000, () => 1),
    1_200,
  );
});

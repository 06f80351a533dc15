import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { test } from 'tap';
import { backoffMs, retryAfterMs } from './http/retry.js';
import { type ClientOptions, ConfigurationError, Countersign } from './index.js';
import { defaultRetries, defaultTimeoutMs } from './options.js';
import { version } from './version.js';

const baseUrl = 'https://pay.example.com';

test('what cannot work is said at once, without the secret', (t) => {
  const secret = 'svc_live_secret';
  const mistakes: Array<[Record<string, unknown>, RegExp]> = [
    [{ baseUrl }, /either apiKey or oauth/],
    [{ baseUrl, apiKey: secret, oauth: {} }, /either apiKey or oauth/],
    [{ baseUrl, apiKey: `${secret}\n` }, /line break/],
    [{ baseUrl, apiKey: '' }, /apiKey is empty/],
    [{ baseUrl, apiKey: 5 }, /apiKey must be text/],
    [{ baseUrl, oauth: { clientId: 'svcoc_live_1', clientSecret: `${secret} ` } }, /clientSecret/],
    [{ baseUrl, apiKey: secret, principalId: 'prn_1\r\nx-a: b' }, /principalId/],
    [{ baseUrl: 'pay.example.com', apiKey: secret }, /baseUrl/],
    [{ baseUrl: 'ftp://pay.example.com', apiKey: secret }, /baseUrl/],
    [{ baseUrl: 'https://user:password@pay.example.com', apiKey: secret }, /credentials/],
    [{ baseUrl: `${baseUrl}?tenant=1`, apiKey: secret }, /no query/],
    [{ baseUrl: 'http://pay.example.com', apiKey: secret }, /https/],
    [{ baseUrl: 'http://127.0.0.1.example.com', apiKey: secret }, /https/],
    [{ baseUrl: `${baseUrl}/api/v1/`, apiKey: secret }, /before \/api\/v1/],
    [{ baseUrl, apiKey: secret, timeoutMs: 0 }, /timeoutMs/],
    [{ baseUrl, apiKey: secret, maxRetries: 11 }, /maxRetries/],
  ];
  for (const [options, message] of mistakes) {
    try {
      new Countersign(options as unknown as ClientOptions);
      t.fail(`${message} was not said`);
    } catch (error) {
      t.type(error, ConfigurationError);
      t.match((error as Error).message, message);
      t.notMatch(inspect(error), /secret|password/);
    }
  }
  t.end();
});

test('an address is taken with a path, and without TLS where nobody listens', (t) => {
  const addressOf = (options: object) =>
    new Countersign({ apiKey: 'svc_test_1', ...options } as ClientOptions).toJSON().baseUrl;
  t.equal(addressOf({ baseUrl: `${baseUrl}/pay/` }), `${baseUrl}/pay`);
  for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080']) {
    t.equal(addressOf({ baseUrl: `http://${host}` }), `http://${host}`);
  }
  t.ok(addressOf({ baseUrl: 'http://gateway:8080', allowHttp: true }));
  t.end();
});

test('waits grow, are bounded, and are spread over half of their length', (t) => {
  const retries = [1, 2, 3, 4, 5, 6, 20];
  const longest = retries.map((retry) => backoffMs(retry, () => 1));
  t.same(longest, [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  const shortest = retries.map((retry) => backoffMs(retry, () => 0));
  t.same(
    shortest,
    longest.map((ms) => ms / 2),
  );
  t.end();
});

test('a service that starts again is waited for, and the time of a call ends it at last', (t) => {
  const waits = Array.from({ length: defaultRetries }, (_, i) => backoffMs(i + 1, () => 0));
  const patienceMs = waits.reduce((sum, ms) => sum + ms, 0);
  t.ok(patienceMs >= 10_000, `by chance it is over after ${patienceMs} ms`);
  t.ok(patienceMs < defaultTimeoutMs);
  t.end();
});

test('Retry-After is understood as seconds and as a date', (t) => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  t.equal(retryAfterMs('7', now), 7_000);
  t.equal(retryAfterMs('Sat, 21 Nov 2026 12:00:09 GMT', now), 9_000);
  t.equal(retryAfterMs('Sat, 21 Nov 2026 11:00:00 GMT', now), 0);
  for (const nothing of [null, '', 'soon', '-1']) t.equal(retryAfterMs(nothing, now), null);
  t.end();
});

test('the version is that of the package', (t) => {
  const file = new URL('../package.json', import.meta.url);
  t.equal(version, JSON.parse(readFileSync(file, 'utf8')).version);
  t.end();
});

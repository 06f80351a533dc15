import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Cipher } from '@countersign/kernel/cipher';
import { SettingsError, settingsTable } from '@countersign/runtime/settings';
import { test } from 'tap';
import { loadConfig, settings } from './config.js';
import { type AttemptError, backoffMs, maxAttempts, verdictOf } from './retry.js';
import { envelopeBytes, newSigningSecret, signatureHeader } from './sign.js';

test('2xx is delivered, some statuses are retried, all others are final', async (t) => {
  const retried = [408, 423, 425, 429, 500, 501, 502, 503, 504, 599];
  for (let statusCode = 200; statusCode < 620; statusCode += 1) {
    const wanted =
      statusCode < 300 ? 'delivered' : retried.includes(statusCode) ? 'retry' : 'failed';
    const inFives = statusCode >= 500 && statusCode < 600;
    t.equal(verdictOf({ statusCode, error: null }), inFives ? 'retry' : wanted, `${statusCode}`);
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

test('the signature header has one HMAC-SHA256 of the exact bytes per secret', async (t) => {
  const data = '{"amount":"10.00","reason_detail":"ü \\u0000"}';
  const body = envelopeBytes({ id: 'evt_1', event: 'gate.fired', timestamp: 'now', data });
  t.same(JSON.parse(body.toString()), {
    id: 'evt_1',
    event: 'gate.fired',
    timestamp: 'now',
    data: JSON.parse(data),
  });
  const [one, two] = [newSigningSecret(), newSigningSecret()];
  t.match(one, /^whsec_[0-9A-Za-z]{43}$/);
  const hmac = (secret: string) => createHmac('sha256', secret).update(body).digest('hex');
  t.equal(signatureHeader(body, [one]), `sha256=${hmac(one)}`);
  t.equal(signatureHeader(body, [two, one]), `sha256=${hmac(two)},sha256=${hmac(one)}`);
});

test('an encrypted secret can only be decrypted in its row and with its key', async (t) => {
  const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const sealed = new Cipher([first]).seal('whsec_x', 'webhook a');
  t.notOk(sealed.bytes.includes('whsec_x'));
  t.equal(new Cipher([first]).open(sealed, 'webhook a'), 'whsec_x');
  t.equal(new Cipher([second, first]).open(sealed, 'webhook a'), 'whsec_x', 'a former key');
  t.throws(() => new Cipher([first]).open(sealed, 'webhook b'), 'moved to another row');
  t.throws(() => new Cipher([second]).open(sealed, 'webhook a'), 'without its key');
  sealed.bytes.writeUInt8(sealed.bytes.readUInt8(30) ^ 1, 30);
  t.throws(() => new Cipher([first]).open(sealed, 'webhook a'), 'with a flipped bit');
  t.throws(() => new Cipher([first]).open({ ...sealed, bytes: Buffer.alloc(3) }, 'webhook a'));
});

test('one error lists all configuration problems', async (t) => {
  const env = {
    GRPC_PORT: '1',
    DATABASE_URL_LIVE: 'x',
    DATABASE_URL_SANDBOX: 'x',
    NATS_URL: 'x',
    IDENTITY_ADDRESS: 'x',
    SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  };
  t.match(loadConfig(env), { webhookRetryBaseMs: 1_000, webhookTimeoutMs: 10_000 });
  t.throws(() => loadConfig({}), SettingsError);
  const wrong = { SMTP_URL: 'http://x', SMS_GATEWAY_URL: 'ftp://x', SECRETS_KEYS_PREVIOUS: 'abc' };
  try {
    loadConfig({ ...env, ...wrong, WEBHOOK_CONNECT_TIMEOUT_MS: '20000', CODES_PER_ADDRESS: '21' });
    t.fail('accepted');
  } catch (error) {
    t.equal((error as SettingsError).problems.length, 6);
  }
});

test('the README lists every setting', async (t) => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  t.ok(readme.includes(settingsTable(settings)), settingsTable(settings));
});

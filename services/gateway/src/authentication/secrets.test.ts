import { test } from 'tap';
import {
  hashSecret,
  newApiKey,
  newOauthClientId,
  newOauthSecret,
  oauthClientEnvironment,
  parseApiKey,
  withoutSecrets,
} from './secrets.js';

test('a key names its environment, and one that was mistyped is not looked up', (t) => {
  for (const environment of ['live', 'sandbox'] as const) {
    const key = newApiKey(environment);
    t.same(parseApiKey(key), { environment, hash: hashSecret(key) });
    const mistyped = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    for (const wrong of [mistyped, `${key}0`, key.slice(0, -1), ` ${key}`, `${key}\n`]) {
      t.equal(parseApiKey(wrong), null, wrong);
    }
  }
  t.end();
});

test('a legacy key has a bounded length, and no environment but live', (t) => {
  for (const length of [8, 200]) {
    t.match(parseApiKey(`svc_${'k'.repeat(length)}`), { environment: 'live' });
  }
  for (const length of [7, 201]) t.equal(parseApiKey(`svc_${'k'.repeat(length)}`), null);
  t.equal(parseApiKey(`svc_test_${'k'.repeat(40)}`), null);
  t.equal(parseApiKey(`svcos_${'k'.repeat(40)}`), null, 'the secret of an OAuth client');
  t.end();
});

test('an OAuth client id names its environment, and nothing else does', (t) => {
  for (const environment of ['live', 'sandbox'] as const) {
    const id = newOauthClientId(environment);
    t.equal(oauthClientEnvironment(id), environment);
    for (const wrong of [`x${id}`, `${id}x`, id.slice(0, -1)]) {
      t.equal(oauthClientEnvironment(wrong), null, wrong);
    }
  }
  t.end();
});

test('of a secret inside a text its kind and its end are left, and all that is no secret', (t) => {
  const body = `${'k'.repeat(39)}wxyz`;
  const secrets = [newApiKey('live'), newApiKey('sandbox'), newOauthSecret()];
  const hints = secrets.map((secret) => secret.replace(/_[^_]+(?=.{4}$)/, '_…'));
  const old = [`svc_${body}`, `svc_k-k_${body}`, `whsec_${body}`];
  t.equal(
    withoutSecrets(JSON.stringify([...secrets, ...old])),
    JSON.stringify([...hints, 'svc_…wxyz', 'svc_…wxyz', '…wxyz']),
  );
  for (const text of [`svc_${'k'.repeat(39)}`, newOauthClientId('live')]) {
    t.equal(withoutSecrets(text), text);
  }
  t.end();
});

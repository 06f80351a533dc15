import { createHmac } from 'node:crypto';
import { test } from 'tap';
import { envelopeBytes, newSigningSecret, signatureHeader } from './sign.js';

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

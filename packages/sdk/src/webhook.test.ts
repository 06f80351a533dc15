import { createHmac } from 'node:crypto';
import { test } from 'tap';
import { verifyWebhook } from './index.js';

const secret = `whsec_${'s'.repeat(43)}`;
const now = Date.parse('2026-11-21T12:00:00.000Z');
const raw = JSON.stringify({
  id: 'evt_1',
  event: 'authorization.decline',
  timestamp: '2026-11-21T12:00:00.000Z',
  data: { authorization_id: 'auth_1', reason_detail: 'Zu teuer: 60,00 €' },
});

const sign = (body: string | Uint8Array, key = secret) =>
  `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
const signed = (body: string, key = secret) => ({ 'x-service-signature': sign(body, key) });

test('a genuine delivery is the event it tells of', (t) => {
  const event = verifyWebhook(raw, signed(raw), { secret, now });
  t.equal(event.event, 'authorization.decline');
  // Told apart by its type, so its data has the fields of that type.
  if (event.event === 'authorization.decline') t.match(event.data.reason_detail, /60,00 €/);
  const forms = [
    { 'X-Service-Signature': sign(raw) },
    { 'x-service-signature': [sign(raw)] },
    new Headers({ 'x-service-signature': sign(raw) }),
    // A Headers object of another realm or package.
    { get: (name: string) => new Map([['x-service-signature', sign(raw)]]).get(name) } as Headers,
    { 'x-service-signature': `${sign(raw, 'whsec_new')}, ${sign(raw)}` },
  ];
  for (const headers of forms) {
    t.equal(verifyWebhook(Buffer.from(raw), headers, { secret, now }).id, 'evt_1');
  }
  t.equal(verifyWebhook(raw, signed(raw), { secret: ['whsec_new', secret], now }).id, 'evt_1');
  t.end();
});

test('what is forged, changed or old is refused, each with its reason', (t) => {
  const refused = (code: string, call: () => unknown) =>
    t.throws(call, { name: 'WebhookVerificationError', code }, code);
  refused('signature_missing', () => verifyWebhook(raw, {}, { secret, now }));
  for (const header of ['sha256=', 'sha256=zz', sign(raw).slice(0, -2), sign(raw).slice(7)]) {
    refused('signature_missing', () =>
      verifyWebhook(raw, { 'x-service-signature': header }, { secret, now }),
    );
  }
  refused('signature_invalid', () => verifyWebhook(`${raw} `, signed(raw), { secret, now }));
  refused('signature_invalid', () =>
    verifyWebhook(raw, signed(raw, 'whsec_other'), { secret, now }),
  );
  const late = now + 300_001;
  refused('stale', () => verifyWebhook(raw, signed(raw), { secret, now: late }));
  refused('stale', () => verifyWebhook(raw, signed(raw), { secret, now: now - 300_001 }));
  t.ok(verifyWebhook(raw, signed(raw), { secret, now: late, toleranceMs: 300_001 }));
  const timeless = raw.replace('2026-11-21T12:00:00.000Z', 'soon');
  refused('stale', () => verifyWebhook(timeless, signed(timeless), { secret, now }));
  for (const body of ['', '{}', 'null', '[]', '{"id":1,"event":2,"timestamp":3,"data":4}']) {
    refused('malformed', () => verifyWebhook(body, signed(body), { secret, now }));
  }
  t.end();
});

test('a body that was parsed is called that, and not a forgery', (t) => {
  for (const body of [JSON.parse(raw), undefined] as never[]) {
    const call = () => verifyWebhook(body, signed(raw), { secret, now });
    t.throws(call, { name: 'ConfigurationError', message: /raw body/ });
  }
  t.end();
});

test('a request without a body and a signature is refused as any that is not signed', (t) => {
  for (const body of [undefined, {}] as never[]) {
    const call = () => verifyWebhook(body, {}, { secret, now });
    t.throws(call, { name: 'WebhookVerificationError', code: 'signature_missing' });
  }
  t.end();
});

test('without a secret nothing is genuine', (t) => {
  const unset = process.env.A_SECRET_THAT_IS_NOT_SET as string;
  t.throws(() => verifyWebhook(raw, signed(raw), unset), { name: 'ConfigurationError' });
  for (const none of ['', [], [secret, '']]) {
    t.throws(() => verifyWebhook(raw, signed(raw, ''), { secret: none, now }), {
      name: 'ConfigurationError',
    });
  }
  t.end();
});

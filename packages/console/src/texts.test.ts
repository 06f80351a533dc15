import { test } from 'tap';
import { amountText, isLess, rateText, sameAmount, shareOf } from './amount.js';
import { parseExact } from './exact-json.js';
import { isBlank, unhidden } from './foreign-text.js';
import { isMoment, momentText, timeLeft } from './moment.js';
import { hrefOf, hrefOfId, parseRoute } from './route.js';
import { meaningOf } from './screens/threshold-meanings.js';
import { environmentOf, sessionOf } from './session.js';
import { changesText, thresholdChanges } from './threshold-changes.js';

test('a number of an answer stays the text that was sent', (t) => {
  const text = '{"a": 123456789012345.67, "b": [1e-7, -0.10], "c": "5 \\"6\\" 7", "d": null}';
  const expected = { a: '123456789012345.67', b: ['1e-7', '-0.10'], c: '5 "6" 7', d: null };
  t.strictSame(parseExact(text), expected);
  t.strictSame(parseExact('{"1": true}'), { 1: true });
  t.throws(() => parseExact('{"a": 1'), SyntaxError);
  t.end();
});

test('an amount gets the zeros of its currency and loses nothing', (t) => {
  t.equal(amountText('10.5', 'USD'), '10.50');
  t.equal(amountText('10', 'JPY'), '10');
  t.equal(amountText('10', 'KWD'), '10.000');
  t.equal(amountText('0.123456', 'USD'), '0.123456', 'more decimals than the currency has');
  t.equal(amountText('999999999999999.99', 'USD'), '999999999999999.99');
  t.equal(amountText('1e-7', 'USD'), '1e-7', 'what is not plain is shown as it came');
  t.ok(sameAmount('10.50', '10.5'));
  t.ok(sameAmount('10', '10.00'));
  t.notOk(sameAmount('10.50', '10.05'));
  t.end();
});

test('amounts are compared by all their digits', (t) => {
  t.ok(isLess('9.5', '10'));
  t.ok(isLess('999999999999999.989', '999999999999999.99'));
  for (const other of ['10', '10.00', '9.99', '–']) t.notOk(isLess('10.0', other), other);
  t.end();
});

test('where the zone of the reader is UTC, a time is shown once', (t) => {
  const at = '2026-01-23T13:03:07.000Z';
  t.match(momentText(at, 'UTC'), { local: '2026-01-23 13:03:07 UTC', utc: null });
  t.match(momentText(at, 'Europe/London'), { local: '2026-01-23 13:03:07 UTC', utc: null });
  t.match(momentText(at, 'Europe/Berlin'), { local: '2026-01-23 14:03:07', utc: '13:03:07 UTC' });
  t.end();
});

test('a threshold is described without the default, which has a column', (t) => {
  const description = 'A risk score of this or more is a STEP_UP. Default: 0.60.';
  const properties = { risk_score_step_up: { description } };
  const document = { components: { schemas: { PutThresholds: { properties } } } };
  t.equal(meaningOf('risk_score_step_up', document), 'A risk score of this or more is a STEP_UP.');
  t.equal(meaningOf('of_a_later_release', document), '');
  t.end();
});

test('a rate is cut and never rounded', (t) => {
  t.equal(rateText('0.019999999'), '0.0199…');
  for (const rate of ['0.02', '1', '0', '0.1234', '1e-7']) t.equal(rateText(rate), rate);
  t.end();
});

test('a bar shows what is used, and no more than all of it', (t) => {
  t.equal(shareOf('50.00', '200.00'), 0.25);
  t.equal(shareOf('300', '200'), 1);
  t.equal(shareOf('1', '0'), null);
  t.end();
});

test('a moment is told by the clock of its reader and by that of everybody', (t) => {
  const iso = '2026-11-21T23:30:05.123Z';
  t.same(momentText(iso, 'Europe/Berlin'), {
    local: '2026-11-22 00:30:05',
    zone: 'CET',
    utc: '2026-11-21 23:30:05 UTC',
  });
  t.equal(momentText('soon'), null);
  t.end();
});

test('a text that only looks like a time stays as it was written', (t) => {
  t.ok(isMoment('2026-11-21T23:30:05.123Z'));
  for (const text of ['2026-02-31T00:00:00.000Z', '2026-11-21T23:30:05Z', '1', '', 'soon']) {
    t.notOk(isMoment(text), text);
  }
  t.end();
});

test('what a text hides is shown, and what is written is left alone', (t) => {
  t.equal(unhidden('\u202e05.1 DSU\u202c'), '[U+202E]05.1 DSU[U+202C]');
  t.equal(
    unhidden('a\u2066b\u200bc\u00add\u0085e\u{e0041}'),
    'a[U+2066]b[U+200B]c[U+00AD]d[U+0085]e[U+E0041]',
  );
  const written = 'Café, متجر, 店, 👩\u200d💻\nnext line';
  t.equal(unhidden(written), written);
  t.ok(isBlank(' \n\u00a0\u200d'));
  t.notOk(isBlank(unhidden('\u3164')));
  t.end();
});

test('the time that is left ends', (t) => {
  const now = Date.parse('2026-11-21T12:00:00.000Z');
  t.equal(timeLeft('2026-11-21T12:04:07.900Z', now), '4 min 07 s');
  t.equal(timeLeft('2026-11-21T12:00:09.000Z', now), '9 s');
  t.equal(timeLeft('2026-11-21T11:59:59.000Z', now), null);
  t.equal(timeLeft('never', now), null);
  t.end();
});

test('every address leads where it was made for', (t) => {
  const places = [
    hrefOf('agents', '', { status: 'ACTIVE', page: '2' }),
    hrefOf('agent', 'agt_1'),
    hrefOf('decisions', 'agt_1', { cursor: 'a+b/c=&d', limit: '50' }),
    hrefOf('decision', 'auth_1'),
    hrefOf('step-ups'),
    hrefOf('thresholds'),
  ];
  for (const href of places) {
    const route = parseRoute(href);
    t.ok(route, href);
    if (route) t.equal(hrefOf(route.screen, route.id, route.query), href);
  }
  t.same(parseRoute(''), { screen: 'agents', id: '', query: {} });
  t.end();
});

test('an address that is none leads nowhere', (t) => {
  const wrong = ['#/nowhere', '#/agents/', '#/agents/..', '#/agents/%2e%2e/x', '#/decisions/a/b/c'];
  for (const hash of wrong) t.equal(parseRoute(hash), null, hash);
  t.end();
});

test('an id leads to its screen', (t) => {
  t.equal(hrefOfId('auth_01k5'), '#/decisions/auth_01k5');
  t.equal(hrefOfId('agt_01k5'), '#/agents/agt_01k5');
  for (const id of ['prn_01k5', 'hello', '', 'auth_1/../agents']) t.equal(hrefOfId(id), null, id);
  t.end();
});

test('a key says by its prefix where it belongs, as it does to the API', (t) => {
  t.equal(environmentOf('svc_test_abc'), 'sandbox');
  t.equal(environmentOf('svc_live_abc'), 'live');
  t.equal(environmentOf('svc_abc'), 'live', 'a legacy key');
  for (const key of ['', 'svcoc_test_abc', 'svcos_abc', 'sk_test', 'svc_test_a\u200bc', 'svc_a c'])
    t.equal(environmentOf(key), null);
  t.match(sessionOf(' svc_test_abc\n', ' '), { apiKey: 'svc_test_abc', principalId: null });
  t.equal(sessionOf('svc_test_abc', 'prn_1\u202c'), null, 'no header could carry it');
  t.end();
});

test('only what was changed of the thresholds is sent, money as text', (t) => {
  const set = {
    thresholds: { risk_score_step_up: '0.5', step_up_amount_threshold: '100', other: '1' },
    overrides: { risk_score_step_up: '0.5', step_up_amount_threshold: '100' },
    platform_defaults: {},
  };
  const typed = { risk_score_step_up: ' 0.5 ', step_up_amount_threshold: '250.00', other: '' };
  const changes = thresholdChanges(typed, set);
  t.same(changes, [{ field: 'step_up_amount_threshold', from: '100', to: '250.00' }]);
  t.equal(changesText(changes), '{"step_up_amount_threshold":"250.00"}');
  const others = thresholdChanges({ risk_score_step_up: '', other: '00.70', third: 'x"' }, set);
  const sent = { risk_score_step_up: null, other: 0.7, third: 'x"' };
  t.strictSame(
    JSON.parse(changesText(others)),
    sent,
    'what is wrong is left to the service to refuse',
  );
  t.end();
});

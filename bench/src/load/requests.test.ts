import { test } from 'tap';
import { requestMaker } from './requests.js';

const plan = {
  method: 'POST' as const,
  path: '/pay',
  headers: ['x-principal-id: prn_01{n}'],
  body: '{"agent_id":"agt_01{n}","key":"k-{k}"}',
  mandates: 2,
  firstMandate: 1,
  keysGoRound: 0,
  firstKey: 7,
};

test('requests go round the mandates and never repeat a key', (t) => {
  const make = requestMaker(plan, 80);
  const sent = [make(), make(), make()].map(String);
  const agents = sent.map((text) => /"agt_01(\d+)"/.exec(text)?.[1]);
  t.strictSame(agents.map(Number), [1, 2, 1]);
  t.strictSame(
    sent.map((text) => Number(/k-(\d+)/.exec(text)?.[1])),
    [7, 8, 9],
  );
  t.match(sent[1], `x-principal-id: prn_01${'2'.padStart(24, '0')}\r\n`);
  t.end();
});

test('the length that is announced is the length of the body', (t) => {
  const [headers = '', body = ''] = String(requestMaker(plan, 80)()).split('\r\n\r\n');
  t.equal(Number(/content-length: (\d+)/.exec(headers)?.[1]), body.length);
  t.end();
});

test('keys that go round come with the same mandate again', (t) => {
  const make = requestMaker({ ...plan, keysGoRound: 2 }, 80);
  const [first, , third] = [make(), make(), make()].map(String);
  t.equal(first, third);
  t.end();
});

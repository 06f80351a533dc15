import type { IncomingMessage } from 'node:http';
import { test } from 'tap';
import { clientIp, isInside, networkOf, parseCidr, parseCidrs } from './client-ip.js';

function request(peer: string, forwarded?: string | string[]): IncomingMessage {
  const headers = { 'x-forwarded-for': forwarded };
  return { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
}

test('X-Forwarded-For is walked right to left, across trusted hops only', (t) => {
  const trusted = parseCidrs(['10.0.0.0/8', '::1', 'fd00::/8']);
  const cases: Array<[peer: string, forwarded: string | undefined, client: string]> = [
    ['203.0.113.5', '1.2.3.4', '203.0.113.5'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['10.0.0.1', '9.9.9.9, 1.2.3.4', '1.2.3.4'],
    ['10.0.0.1', '9.9.9.9, 1.2.3.4, 10.7.7.7', '1.2.3.4'],
    ['10.0.0.1', '10.2.2.2, 10.3.3.3', '10.2.2.2'],
    ['::ffff:10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['::1', '::ffff:1.2.3.4', '1.2.3.4'],
    ['10.0.0.1', '1.2.3.4:5678', '1.2.3.4'],
    ['10.0.0.1', '[2001:db8::1]:5678', '2001:db8::1'],
    ['10.0.0.1', '2001:0DB8:0:0::1', '2001:db8::1'],
    ['10.0.0.1', '1.2.3.4, unknown', '10.0.0.1'],
    ['10.0.0.1', '1.2.3.4, unknown, 10.7.7.7', '10.7.7.7'],
    ['10.0.0.1', 'fe80::1%br-12ab', 'fe80::1'],
    ['10.0.0.1', '1.2.3.4%br-12ab', '10.0.0.1'],
    ['fe80::1%br-12ab', '1.2.3.4', 'fe80::1'],
    ['fe80::1%eth0.100', '1.2.3.4', 'fe80::1'],
    ['10.0.0.1', '1.2.3.4, 010.0.0.1', '10.0.0.1'],
    ['10.0.0.1', '1.2.3.4, for=[2001:db8::1]:5678', '10.0.0.1'],
    ['10.0.0.1', '1.2.3.4, [2001:db8::1]:5678x', '10.0.0.1'],
    ['10.0.0.1', '9.9.9.9, for=1.2.3.4:5678', '10.0.0.1'],
    ['10.0.0.1', '9.9.9.9, 1.2.3.4:5678x', '10.0.0.1'],
    ['10.0.0.1', '1.2.3.4, 2130706433', '10.0.0.1'],
    ['10.0.0.1', `6.6.6.6, ${'10.0.0.2, '.repeat(40)}10.0.0.2`, '10.0.0.2'],
  ];
  for (const [peer, forwarded, client] of cases) {
    t.equal(clientIp(request(peer, forwarded), trusted), client, `${peer} <- ${forwarded}`);
  }
  t.equal(
    clientIp(request('127.0.0.1', '1.2.3.4'), []),
    '127.0.0.1',
    'nobody is trusted by default',
  );
  t.end();
});

test('networks hold what is in them, in either spelling, and nothing unreadable', (t) => {
  const cases: Array<[ip: string, network: string, inside: boolean]> = [
    ['10.1.2.3', '10.0.0.0/8', true],
    ['11.1.2.3', '10.0.0.0/8', false],
    ['::ffff:10.1.2.3', '10.0.0.0/8', true],
    ['10.1.2.3', '::ffff:10.0.0.0/104', true],
    ['203.0.113.9', '::ffff:0:0/96', true],
    ['11.1.2.3', '::ffff:10.0.0.0/104', false],
    ['10.1.2.3', '::/0', false],
    ['10.1.2.3', '::ffff:0:0/95', false],
    ['2001:db8::1', '2001:db8::/32', true],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.4', '10.1.2.3', false],
    ['1.2.3.4', '0.0.0.0/0', true],
    ['nobody', '0.0.0.0/0', false],
    ['', '0.0.0.0/0', false],
    ['10.1.2.3', 'nobody', false],
  ];
  for (const [ip, network, inside] of cases) {
    t.equal(isInside(ip, parseCidrs([network])), inside, `${ip} in ${network}`);
  }
  t.end();
});

test('an IPv4 address counts for itself, an IPv6 address with its /64 and no wider one', (t) => {
  const cases: Array<[ip: string, network: string]> = [
    ['203.0.113.5', '203.0.113.5'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::9', '2001:db8:1:2'],
    ['2001:db8:1:3::9', '2001:db8:1:3'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['::9', '0:0:0:0'],
  ];
  for (const [ip, network] of cases) t.equal(networkOf(ip), network, ip);
  t.end();
});

test('a network has one spelling; what other programs read differently is none', (t) => {
  for (const text of [
    '10.0.0.0/8',
    '10.1.2.3',
    '0.0.0.0/0',
    '10.1.2.3/32',
    '2001:db8::/32',
    '::/0',
    '::1/128',
    '::ffff:10.0.0.0/104',
  ]) {
    t.ok(parseCidr(text), text);
  }
  for (const text of [
    '',
    '/8',
    'x/8',
    '10',
    '10.0.0',
    '010.0.0.1',
    '010.0.0.0/8',
    '10.1/16',
    '167772160/8',
    '0x0a.0.0.0/8',
    '::ffff:010.0.0.1',
    '::ffff:0x0a.0.0.0/104',
    '1::2%eth0',
    '1::2%eth0/64',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/+8',
    '10.0.0.0/08',
    '10.0.0.0/0x8',
    '10.0.0.0/8.0',
    '10.0.0.0/ 8',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
  ]) {
    t.equal(parseCidr(text), null, text);
  }
  t.end();
});

import { test } from 'tap';
import { isPublicAddress } from './public-address.js';

const last = 'ffff:ffff:ffff:ffff:ffff:ffff';

/** The ends of each range that is not public, and its neighbours; null where these are not. */
const ranges: ReadonlyArray<readonly [string | null, first: string, last: string, string | null]> =
  [
    [null, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
    ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
    ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
    ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
    ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
    ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
    ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
    ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
    ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
    ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
    ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
    ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
    ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
    ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
    ['223.255.255.255', '224.0.0.0', '239.255.255.255', null],
    [null, '240.0.0.0', '255.255.255.255', null],
    [null, '::', `1fff:ffff:${last}`, '2000::'],
    [`2000:ffff:${last}`, '2001::', `2001:1ff:${last}`, '2001:200::'],
    [`2001:db7:${last}`, '2001:db8::', `2001:db8:${last}`, '2001:db9::'],
    [`2001:ffff:${last}`, '2002::', `2002:ffff:${last}`, '2003::'],
    [`3ffd:ffff:${last}`, '3ffe::', `3ffe:ffff:${last}`, null],
    [null, '3fff::', `3fff:fff:${last}`, '3fff:1000::'],
    [`3fff:ffff:${last}`, '4000::', `ffff:ffff:${last}`, null],
  ];

test('each special range is refused from its first address to its last, and no other', (t) => {
  for (const [before, from, to, after] of ranges) {
    for (const address of [from, to]) t.notOk(isPublicAddress(address), address);
    for (const address of [before, after]) {
      if (address !== null) t.ok(isPublicAddress(address), address);
    }
  }
  t.end();
});

test('no disguise of an address is public, and nothing that is none', (t) => {
  for (const text of [
    '::1',
    '::8.8.8.8',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    'fc00::1',
    'fe80::1%eth0',
    '2606:4700::1111%eth0',
    '[2606:4700::1111]',
    '8.8.8.8:443',
    '010.8.8.8',
    '134744072',
    'example.com',
    '',
  ]) {
    t.notOk(isPublicAddress(text), text);
  }
  t.end();
});

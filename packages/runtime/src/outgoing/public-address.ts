import { BlockList, isIP } from 'node:net';

/**
 * Which addresses are public. The ranges follow the IANA registries of special-purpose addresses
 * and are listed here, because the libraries that were tried let some of them through.
 */
const refusedV4: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers; holds a cloud's metadata address
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // a cloud's own host, reachable only from within
  ['169.254.0.0', 16], // link-local; holds the metadata address of most clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

/**
 * For IPv6 the reverse: only global unicast is public. That excludes loopback, unique local,
 * link-local, multicast, mapped and compatible IPv4, NAT64 and whatever is assigned later.
 */
const publicV6 = ['2000::', 3] as const;

const refusedV6: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ['2001::', 23], // protocol assignments, with Teredo and ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: an IPv4 address in disguise
  ['3ffe::', 16], // the former 6bone
  ['3fff::', 20], // documentation
];

const refused = new BlockList();
for (const [network, prefix] of refusedV4) refused.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of refusedV6) refused.addSubnet(network, prefix, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet(publicV6[0], publicV6[1], 'ipv6');

/** False for everything but a globally routable address in canonical notation. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !refused.check(address, 'ipv4');
  if (family !== 6 || address.includes('%')) return false;
  return globalUnicast.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}

import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Cidr = readonly [Address, number];

/** No real chain of proxies has more hops; longer headers are cut. */
const maxHops = 32;

/** An address or a CIDR; an address alone is a network of one. Null when it is neither. */
export function parseCidr(text: string): Cidr | null {
  const [given = '', size, ...rest] = text.split('/');
  // The zone of an address is a network interface of one machine; it names no network.
  if (rest.length > 0 || given.includes('%') || isIP(given) === 0) return null;
  const address = ipaddr.parse(given);
  const whole = address.kind() === 'ipv4' ? 32 : 128;
  const bits = size === undefined ? whole : prefixLength(size);
  return bits === null || bits > whole ? null : mappedToIpv4([address, bits]);
}

/** In the one spelling that it has; null for any other. */
function prefixLength(text: string): number | null {
  return /^(0|[1-9]\d{0,2})$/.test(text) ? Number(text) : null;
}

/** The networks of a checked list; what is not one is not in it. */
export function parseCidrs(texts: readonly string[]): Cidr[] {
  return texts.map(parseCidr).filter((cidr) => cidr !== null);
}

/** `::ffff:10.0.0.0/104` is `10.0.0.0/8`: addresses are compared after the same rewriting. */
function mappedToIpv4([address, bits]: [Address, number]): Cidr {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96) {
    return [address.toIPv4Address(), bits - 96];
  }
  return [address, bits];
}

/** False also for a malformed address. */
export function isInside(ip: string, networks: readonly Cidr[]): boolean {
  const address = parseAddress(ip);
  if (!address) return false;
  return networks.some(([network, bits]) => {
    return network.kind() === address.kind() && matches(address, network, bits);
  });
}

function matches(address: Address, network: Address, bits: number): boolean {
  return address instanceof ipaddr.IPv4
    ? address.match(network as ipaddr.IPv4, bits)
    : address.match(network as ipaddr.IPv6, bits);
}

/** The unit that is rate limited: an IPv4 address, or the /64 that an IPv6 caller has to itself. */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = tail.split(':').filter(Boolean);
  const zeros = Array<string>(8 - groups.length - rest.length).fill('0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}

/**
 * Where a request comes from. `X-Forwarded-For` is read right to left and only across hops that are
 * trusted themselves, so what a caller writes into it can never replace its own address.
 */
export function clientIp(request: IncomingMessage, trusted: readonly Cidr[]): string {
  const peer = peerOf(request.socket);
  if (trusted.length === 0 || !isInside(peer, trusted)) return peer;
  let current = peer;
  for (const hop of forwardedHops(request).reverse()) {
    const address = parseAddress(withoutPort(hop));
    if (!address) return current;
    current = address.toString();
    if (!isInside(current, trusted)) return current;
  }
  return current;
}

const peers = new WeakMap<Socket, string>();

/** The same for as long as a connection lives. */
function peerOf(socket: Socket): string {
  let peer = peers.get(socket);
  if (peer === undefined) {
    peer = parseAddress(socket.remoteAddress ?? '')?.toString() ?? '0.0.0.0';
    peers.set(socket, peer);
  }
  return peer;
}

function forwardedHops(request: IncomingMessage): string[] {
  const header = request.headers['x-forwarded-for'];
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  if (text === '') return [];
  return text
    .split(',')
    .slice(-maxHops)
    .map((hop) => hop.trim());
}

/** `1.2.3.4:5678` and `[::1]:5678` as some proxies write them. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(hop);
  if (bracketed?.[1]) return bracketed[1];
  const dotted = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(hop);
  return dotted?.[1] ?? hop;
}

/**
 * As `inet_pton` reads it: octal, hexadecimal and shortened spellings of an IPv4 address, alone or
 * at the end of an IPv6 address, mean different things elsewhere.
 */
function parseAddress(text: string): Address | null {
  // The peers on a link have a zone, such as Docker's `br-12ab`, which is no part of the address.
  const address = text.split('%', 1)[0] ?? '';
  return isIP(text) === 0 ? null : ipaddr.process(address);
}

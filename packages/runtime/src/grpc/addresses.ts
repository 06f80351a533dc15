import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

interface HostAndPort {
  host: string;
  port: string;
}

/** Upper bound on connections; replicas beyond it get no traffic from this process. */
const maxReplicas = 64;

/**
 * Every replica behind an address, as `ip:port`. An address is `host:port`, where the name may
 * resolve to several replicas, or a comma-separated list of them. Empty if a name does not resolve.
 */
export async function replicasOf(address: string): Promise<string[]> {
  const found = await Promise.all(
    parse(address).map(async ({ host, port }) =>
      (await addressesOf(host)).map((ip) => `${bracketed(ip)}:${port}`),
    ),
  );
  return [...new Set(found.flat())].slice(0, maxReplicas);
}

/**
 * The target in the syntax of the gRPC library, which balances a list only if the list contains IP
 * addresses.
 */
export function channelTarget(address: string): string {
  const all = parse(address);
  if (all.length <= 1) return address;
  const families = new Set(all.map(({ host }) => isIP(host)));
  const [family] = families;
  if (families.size > 1 || !family) {
    throw new Error(`${address}: a list of several addresses takes IPs of one family, no names`);
  }
  return `ipv${family}:${all.map(({ host, port }) => `${bracketed(host)}:${port}`).join(',')}`;
}

/** The names or IP addresses of an address. */
export function hostsOf(address: string): string[] {
  return parse(address).map(({ host }) => host);
}

function parse(address: string): HostAndPort[] {
  return address.split(',').map((part) => {
    const split = part.lastIndexOf(':');
    const host = part
      .slice(0, split)
      .trim()
      .replace(/^\[|\]$/g, '');
    return { host, port: part.slice(split + 1).trim() };
  });
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host)) return [host];
  try {
    const found = await lookup(host, { all: true });
    // Only one address family, because `localhost` resolves to the same server twice.
    const family = found[0]?.family;
    return found.filter((entry) => entry.family === family).map((entry) => entry.address);
  } catch {
    return [];
  }
}

/** As before a port; a name, or what has its brackets, stays as it is. */
export function bracketed(ip: string): string {
  return isIP(ip) === 6 ? `[${ip}]` : ip;
}

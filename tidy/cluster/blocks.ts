import { BlockList, isIPv6 } from 'node:net';
import type { Finding } from '../tree.js';
import { type KubeObject, ofKind } from './objects.js';

/**
 * Exceptions of a network policy that lie outside the block they are excluded from; Kubernetes
 * rejects them.
 */
export function strayExceptions(objects: readonly KubeObject[]): Finding[] {
  return ofKind(objects, 'NetworkPolicy').flatMap(({ metadata, spec }) =>
    [...(spec?.ingress ?? []), ...(spec?.egress ?? [])]
      .flatMap(({ from = [], to = [] }) => [...from, ...to])
      .flatMap(({ ipBlock }) =>
        (ipBlock?.except ?? []).filter((block) => !liesIn(block, ipBlock?.cidr ?? '')),
      )
      .map((block) => `${metadata.name}: ${block}`),
  );
}

function liesIn(inner: string, outer: string): boolean {
  const [address = '', bits] = inner.split('/');
  const [network = '', length] = outer.split('/');
  // Kubernetes treats ::ffff:0:0/96 as an IPv4 block, which lies in no IPv6 block.
  const isStranger = isIPv6(address) !== isIPv6(network) || /^::ffff:/i.test(address);
  if (isStranger || Number(bits) <= Number(length)) return false;
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  const block = new BlockList();
  block.addSubnet(network, Number(length), family);
  return block.check(address, family);
}

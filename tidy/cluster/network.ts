import {
  type KubeObject,
  ofKind,
  type Peer,
  type Rule,
  selects,
  type Workload,
} from './objects.js';

type Port = string | number | undefined;

/** The rules for the pods of a workload, in one direction. */
function rulesFor(
  { template }: Workload,
  direction: 'ingress' | 'egress',
  objects: readonly KubeObject[],
): Rule[] {
  return ofKind(objects, 'NetworkPolicy')
    .filter(({ spec }) => selects(spec?.podSelector ?? {}, template.metadata.labels))
    .flatMap(({ spec }) => spec?.[direction] ?? []);
}

/** Whether a rule matches this port of a workload, given by number or by name. */
function takesPort({ ports }: Rule, { container }: Workload, number: number): boolean {
  if (!ports) return true;
  const name = container.ports?.find(({ containerPort }) => containerPort === number)?.name;
  return ports.some(({ port }) => port === undefined || port === number || port === name);
}

/** A peer in the same namespace; a namespaceSelector means a different one. */
function takesPod(peers: Peer[] | undefined, { template }: Workload): boolean {
  if (!peers) return true;
  return peers.some(
    ({ podSelector, namespaceSelector }) =>
      podSelector !== undefined &&
      namespaceSelector === undefined &&
      selects(podSelector, template.metadata.labels),
  );
}

/**
 * Whether policies allow a call to a port both to leave the one workload and to reach the other.
 */
export function mayCall(
  [from, to]: readonly [Workload, Workload],
  port: number,
  objects: readonly KubeObject[],
): { leaves: boolean; arrives: boolean } {
  const leaves = rulesFor(from, 'egress', objects).some(
    (rule) => takesPod(rule.to, to) && takesPort(rule, to, port),
  );
  const arrives = rulesFor(to, 'ingress', objects).some(
    (rule) => takesPod(rule.from, from) && takesPort(rule, to, port),
  );
  return { leaves, arrives };
}

/** Whether a workload may connect to a port at some external address or some pod of a store. */
export function mayReach(from: Workload, port: Port, objects: readonly KubeObject[]): boolean {
  return rulesFor(from, 'egress', objects).some(
    ({ to, ports = [] }) =>
      to?.every(({ namespaceSelector }) => !namespaceSelector) === true &&
      ports.some((each) => each.port === port),
  );
}

/** IP blocks that a workload may connect to, with their ports. */
export function blocksOf(
  from: Workload,
  objects: readonly KubeObject[],
): Array<{ cidr: string; except: string[]; ports: Port[] }> {
  return rulesFor(from, 'egress', objects).flatMap(({ to = [], ports = [] }) =>
    to.flatMap(({ ipBlock }) => {
      if (!ipBlock) return [];
      const { cidr, except = [] } = ipBlock;
      return [{ cidr, except, ports: ports.map(({ port }) => port) }];
    }),
  );
}

/** Callers that may connect to a port of a workload, as in the policies; null for any. */
export function callersOf(
  to: Workload,
  port: number,
  objects: readonly KubeObject[],
): Array<Peer[] | null> {
  return rulesFor(to, 'ingress', objects)
    .filter((rule) => takesPort(rule, to, port))
    .map(({ from }) => from ?? null);
}

/** Whether a default-deny policy covers all pods. */
export function deniesByDefault(objects: readonly KubeObject[]): boolean {
  return ofKind(objects, 'NetworkPolicy').some(({ spec }) => {
    const { podSelector, policyTypes = [], ingress, egress } = spec ?? {};
    const everybody = podSelector !== undefined && Object.keys(podSelector).length === 0;
    const both = policyTypes.includes('Ingress') && policyTypes.includes('Egress');
    return everybody && both && !ingress && !egress;
  });
}

import type { Finding } from '../tree.js';
import { type KubeObject, ofKind, type PodSpec, selects, type Workload } from './objects.js';
import { imageSays } from './settings.js';

const hardenedPod = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
const hardenedContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** Checks the restricted Pod Security standard, a read-only root, no token, and resource bounds. */
export function softSpots({ name, pod, container }: Workload): Finding[] {
  const { requests = {}, limits = {} } = container.resources ?? {};
  const user = pod.securityContext?.runAsUser;
  const holds: Array<[string, boolean]> = [
    ['the pod is not hardened', contains(pod.securityContext, hardenedPod)],
    ['its user is root or unsaid', typeof user === 'number' && user > 0],
    ['the container is not hardened', contains(container.securityContext, hardenedContainer)],
    ['a capability is added', !JSON.stringify(container).includes('"add"')],
    [
      'it shares something with its node',
      !/"host(Network|PID|IPC|Path)"/.test(JSON.stringify(pod)),
    ],
    ['it has a token', pod.automountServiceAccountToken === false],
    ['it is told of every Service', pod.enableServiceLinks === false],
    ['it asks for no CPU or memory', Boolean(requests.cpu && requests.memory)],
    ['its memory has no limit', Boolean(limits.memory)],
    ['it has other containers', pod.containers.length === 1 && !pod.initContainers],
    ['what its image starts is replaced', container.command === undefined],
    ['a mount has no volume', mountsHaveVolumes(pod)],
  ];
  return holds.filter(([, good]) => !good).map(([what]) => `${name}: ${what}`);
}

function contains(actual: unknown, wanted: Record<string, unknown>): boolean {
  const held = (actual ?? {}) as Record<string, unknown>;
  return Object.entries(wanted).every(
    ([key, value]) => JSON.stringify(held[key]) === JSON.stringify(value),
  );
}

function mountsHaveVolumes({ containers, volumes = [] }: PodSpec): boolean {
  const claimed = ['journal', 'data'];
  const names = [...volumes.map(({ name }) => name), ...claimed];
  return containers.every(({ volumeMounts = [] }) =>
    volumeMounts.every(({ name }) => names.includes(name)),
  );
}

/**
 * Probes must use the service's own health port, and only readiness may depend on the stores. A
 * gateway is ready while it listens: it can answer callers it has cached without its database.
 */
export function probeMistakes({ name, container }: Workload, image: string): Finding[] {
  const { startupProbe, readinessProbe, livenessProbe, ports = [] } = container;
  const listens = ports.some(({ name: port }) => port === readinessProbe?.tcpSocket?.port);
  const probes = [
    { kind: 'startup', probe: startupProbe, path: '/livez' },
    { kind: 'liveness', probe: livenessProbe, path: '/livez' },
    ...(name === 'gateway' ? [] : [{ kind: 'readiness', probe: readinessProbe, path: '/readyz' }]),
  ];
  const mistakes = probes.flatMap(({ kind, probe, path }) => {
    const asked = ports.find((port) => port.name === probe?.httpGet?.port);
    const isHealth = String(asked?.containerPort) === imageSays(image, 'HEALTH_PORT');
    const isRight = isHealth && probe?.httpGet?.path === path;
    return isRight ? [] : [`${name}: ${kind} does not ask ${path} of the health port`];
  });
  return name === 'gateway' && !listens ? [...mistakes, 'gateway: readiness'] : mistakes;
}

/** A process ends at most ten seconds after its shutdown notice; five more are a margin. */
const finishSeconds = 10 + 5;

/** How long the name servers of clusters keep an answer by default. */
const namesKeptSeconds = 30;

export function shutdownMistakes({ name, object, pod, container }: Workload): Finding[] {
  const notice = container.env?.find((entry) => entry.name === 'SHUTDOWN_NOTICE_MS')?.value;
  const noticeSeconds = Number(notice ?? 0) / 1000;
  const grace = pod.terminationGracePeriodSeconds ?? 30;
  return [
    ...(noticeSeconds >= 5 ? [] : [`${name}: endpoints have no time to notice`]),
    ...(grace >= noticeSeconds + finishSeconds ? [] : [`${name}: killed before it has finished`]),
    ...(isFoundInTime(object) ? [] : [`${name}: the last old pod goes before a new one is found`]),
  ];
}

/** A gateway has an address that stays; callers of the others ask for the addresses of the pods. */
function isFoundInTime({ kind, spec }: KubeObject): boolean {
  return kind !== 'Deployment' || (spec?.minReadySeconds ?? 0) > namesKeptSeconds;
}

/** Every selector for pods must match those of one workload only, and a workload's own. */
export function selectorMistakes(objects: readonly KubeObject[], all: Workload[]): Finding[] {
  const taken = (object: KubeObject): string[] => {
    const { selector } = object.spec ?? {};
    if (!selector) return [];
    const isMap = object.kind === 'Service';
    const spelled = (isMap ? { matchLabels: selector } : selector) as Parameters<typeof selects>[0];
    return all.filter((each) => selects(spelled, each.template.metadata.labels)).map((w) => w.name);
  };
  const kinds = ['Service', 'Deployment', 'StatefulSet', 'PodDisruptionBudget'];
  return kinds.flatMap((kind) =>
    ofKind(objects, kind).flatMap((object) => {
      const { name } = object.metadata;
      const wanted = object.metadata.labels?.['app.kubernetes.io/name'] ?? '';
      const found = taken(object);
      const isRight = found.length === 1 && found[0] === wanted;
      return isRight ? [] : [`${kind} ${name} selects ${found.join(' and ') || 'nothing'}`];
    }),
  );
}

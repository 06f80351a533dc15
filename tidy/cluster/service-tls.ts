import type { Variable } from '../settings.js';
import type { Finding } from '../tree.js';
import { type KubeObject, ofKind, type Workload } from './objects.js';

/** What a service needs for TLS, and the key of a certificate's Secret that has it. */
const files = { GRPC_CERT_FILE: 'tls.crt', GRPC_KEY_FILE: 'tls.key', GRPC_CA_FILE: 'ca.crt' };

interface CertificateSpec {
  secretName?: string;
  dnsNames?: string[];
  usages?: string[];
}

/**
 * Mistakes of the rendered component: services that do not get the certificate, or whose callers
 * would refuse it.
 */
export function serviceTlsMistakes(
  objects: readonly KubeObject[],
  workloads: readonly Workload[],
  read: ReadonlyMap<string, Variable[]>,
): Finding[] {
  const certificate = ofKind(objects, 'Certificate').find(
    ({ metadata }) => metadata.name === 'service-tls',
  )?.spec as CertificateSpec | undefined;
  const { secretName = '', dnsNames = [], usages = [] } = certificate ?? {};
  const isForBothSides = ['server auth', 'client auth'].every((usage) => usages.includes(usage));
  return [
    ...(isForBothSides ? [] : ['the certificate is not for both sides of a connection']),
    ...workloads.flatMap((workload) => {
      const known = (read.get(workload.name) ?? []).map(({ name }) => name);
      return [
        ...unreadFiles(workload, secretName, known),
        ...calledHosts(workload)
          .filter((host) => !dnsNames.includes(host))
          .map((host) => `the certificate is not for ${host}`),
      ].map((what) => `${workload.name}: ${what}`);
    }),
  ];
}

function unreadFiles({ container, pod }: Workload, secretName: string, known: string[]): string[] {
  const volume = (pod.volumes ?? []).find(({ secret }) => secret?.secretName === secretName);
  const mount = (container.volumeMounts ?? []).find(({ name }) => name === volume?.name);
  if (!mount) return ['it has no certificate'];
  return Object.entries(files).flatMap(([variable, key]) => {
    const given = (container.env ?? []).find(({ name }) => name === variable)?.value;
    if (!known.includes(variable)) return [`${variable} is not read`];
    return given === `${mount.mountPath}/${key}` ? [] : [`${variable} is ${given}`];
  });
}

function calledHosts({ container }: Workload): string[] {
  return (container.env ?? [])
    .filter(({ name }) => name.endsWith('_ADDRESS'))
    .map(({ value = '' }) => value.slice(0, value.lastIndexOf(':')));
}

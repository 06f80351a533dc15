import type { Variable } from '../settings.js';
import type { Finding } from '../tree.js';
import { type Container, type KubeObject, ofKind, type Workload } from './objects.js';

/** The variables that a service reads, and those that its image sets. */
export interface ServiceFacts {
  variables: Variable[];
  image: string;
}

/** Must not be in a ConfigMap or as a literal in a manifest. */
const secret = new RegExp(
  [
    '(_KEY|_TOKEN|_SECRET|_PASSWORD|KEYS_PREVIOUS)$',
    '(DATABASE_URL\\w*|REDIS_URL|NATS_URL|SMTP_URL)$',
    '^CHAINS_',
  ].join('|'),
);

/** Every variable that a container gets, and whether it is guaranteed to have a value. */
function toldTo(container: Container, objects: readonly KubeObject[]): Map<string, boolean> {
  const own = (container.env ?? []).map(({ name, valueFrom }): [string, boolean] => [
    name,
    !(valueFrom?.secretKeyRef ?? valueFrom?.configMapKeyRef)?.optional,
  ]);
  return new Map([
    ...keysOfMaps(container, objects).map((name): [string, boolean] => [name, true]),
    ...own,
  ]);
}

/** Compares the variables in the manifests with those that a service reads. */
export function settingMistakes(
  { name, container }: Workload,
  objects: readonly KubeObject[],
  { variables, image }: ServiceFacts,
): Finding[] {
  const told = toldTo(container, objects);
  const known = new Set(variables.map((variable) => variable.name));
  const missing = variables
    .filter((variable) => variable.required && !imageSays(image, variable.name))
    .filter((variable) => !told.get(variable.name));
  return [
    ...[...told.keys()]
      .filter((variable) => !known.has(variable))
      .map((variable) => `${name}: ${variable} is not read`),
    ...missing.map((variable) => `${name}: ${variable.name} is missing`),
    ...secretsInTheOpen(container, objects).map((variable) => `${name}: ${variable} is open`),
  ];
}

export function imageSays(image: string, variable: string): string | undefined {
  return new RegExp(`^(?:ENV)?[^#\\n]*\\s${variable}=(\\S+)`, 'm').exec(image)?.[1];
}

function secretsInTheOpen(container: Container, objects: readonly KubeObject[]): string[] {
  const spelled = (container.env ?? []).filter(({ valueFrom }) => !valueFrom?.secretKeyRef);
  const open = [...spelled.map(({ name }) => name), ...keysOfMaps(container, objects)];
  return open.filter((name) => secret.test(name));
}

function keysOfMaps({ envFrom = [] }: Container, objects: readonly KubeObject[]): string[] {
  const names = new Set(envFrom.map(({ configMapRef }) => configMapRef?.name));
  return ofKind(objects, 'ConfigMap')
    .filter(({ metadata }) => names.has(metadata.name))
    .flatMap(({ data = {} }) => Object.keys(data));
}

/** References to ConfigMaps and Secrets, or to keys of them, that are not defined. */
export function danglingReferences(
  { name, container, pod }: Workload,
  objects: readonly KubeObject[],
): Finding[] {
  const find = (kind: string, wanted: string): KubeObject | undefined =>
    ofKind(objects, kind).find(({ metadata }) => metadata.name === wanted);
  const keys = (container.env ?? []).flatMap(({ valueFrom }) => [
    ...(valueFrom?.secretKeyRef ? [{ kind: 'Secret', ...valueFrom.secretKeyRef }] : []),
    ...(valueFrom?.configMapKeyRef ? [{ kind: 'ConfigMap', ...valueFrom.configMapKeyRef }] : []),
  ]);
  const wholes = [
    ...(container.envFrom ?? []).map(({ configMapRef }) => configMapRef?.name ?? 'a Secret'),
    ...(pod.volumes ?? []).flatMap(({ configMap }) => configMap?.name ?? []),
  ];
  return [
    ...keys
      .filter((ref) => !ref.optional && !(ref.key in (find(ref.kind, ref.name)?.data ?? {})))
      .map((ref) => `${name}: ${ref.kind} ${ref.name} has no ${ref.key}`),
    ...wholes
      .filter((wanted) => !find('ConfigMap', wanted))
      .map((wanted) => `${name}: there is no ConfigMap ${wanted}`),
  ];
}

/** Keys of Secrets that containers get, optional ones included. */
export function secretKeysOf(workloads: readonly Workload[]): Set<string> {
  return new Set(
    workloads.flatMap(({ container }) =>
      (container.env ?? []).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.key ?? []),
    ),
  );
}

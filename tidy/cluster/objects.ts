import { parse, parseAllDocuments } from 'yaml';
import type { ProjectFile } from '../tree.js';

type Labels = Record<string, string>;

export interface Selector {
  matchLabels?: Labels;
  matchExpressions?: Array<{ key: string; operator: string; values: string[] }>;
}

interface KeyReference {
  name: string;
  key: string;
  optional?: boolean;
}

export interface EnvironmentEntry {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: KeyReference; configMapKeyRef?: KeyReference };
}

interface Probe {
  httpGet?: { path: string; port: string | number };
  tcpSocket?: { port: string | number };
}

export interface Container {
  name: string;
  image: string;
  command?: string[];
  ports?: Array<{ name: string; containerPort: number }>;
  env?: EnvironmentEntry[];
  envFrom?: Array<{ configMapRef?: { name: string }; secretRef?: { name: string } }>;
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  resources?: { requests?: Labels; limits?: Labels };
  securityContext?: Record<string, unknown>;
  volumeMounts?: Array<{ name: string; mountPath: string }>;
}

export interface PodSpec {
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext?: Record<string, unknown>;
  containers: Container[];
  initContainers?: Container[];
  volumes?: Array<{
    name: string;
    configMap?: { name: string };
    secret?: { secretName: string };
  }>;
}

export interface PodTemplate {
  metadata: { labels: Labels };
  spec: PodSpec;
}

export interface Peer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
}

export interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: Array<{ protocol: string; port?: string | number }>;
}

/** The fields read from objects of any kind. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Labels };
  data?: Record<string, string>;
  spec?: {
    selector?: Selector | Labels;
    template?: PodTemplate;
    type?: string;
    clusterIP?: string;
    ports?: Array<{ name: string; port: number; targetPort: string | number }>;
    podSelector?: Selector;
    policyTypes?: string[];
    ingress?: Rule[];
    egress?: Rule[];
    rules?: Array<{ http: { paths: Array<{ backend: IngressBackend }> } }>;
    scaleTargetRef?: { kind: string; name: string };
    maxReplicas?: number;
    minReadySeconds?: number;
    behavior?: { scaleDown?: { selectPolicy?: string } };
    persistentVolumeClaimRetentionPolicy?: Record<string, string>;
    volumeClaimTemplates?: Array<{ metadata: { name: string } }>;
  };
}

interface IngressBackend {
  service?: { name: string; port: { name?: string; number?: number } };
}

export interface Kustomization {
  resources?: string[];
  components?: string[];
  images?: Array<{ name: string; newTag: string }>;
  replicas?: Array<{ name: string; count: number }>;
  configMapGenerator?: Array<{ name: string; literals?: string[]; files?: string[] }>;
  secretGenerator?: Array<{ name: string; envs: string[] }>;
  patches?: Array<{ target: { kind: string; name?: string }; patch: string }>;
}

/** A pod template and the object that creates its pods. */
export interface Workload {
  name: string;
  kind: string;
  object: KubeObject;
  template: PodTemplate;
  pod: PodSpec;
  /** Every pod here has exactly one. */
  container: Container;
}

export function readObjects(text: string): KubeObject[] {
  return parseAllDocuments(text).map((document) => {
    if (document.errors[0]) throw document.errors[0];
    return document.toJS() as KubeObject;
  });
}

export function readKustomization(file: ProjectFile | undefined): Kustomization {
  if (!file) throw new Error('a kustomization.yaml is missing');
  return parse(file.text) as Kustomization;
}

/** The objects that a folder's kustomization names and generates, without patches. */
export function objectsOf(files: readonly ProjectFile[], folder: string): KubeObject[] {
  const named = (path: string) => files.find((file) => file.path === `${folder}/${path}`);
  const { resources = [], configMapGenerator = [] } = readKustomization(
    named('kustomization.yaml'),
  );
  const own = resources
    .filter((path) => path.endsWith('.yaml'))
    .flatMap((path) => readObjects(named(path)?.text ?? ''));
  const generated = configMapGenerator.map(({ name, literals = [] }) => {
    const data = Object.fromEntries(literals.map(splitLine));
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
  });
  return [...own, ...generated];
}

/** A Secret with the keys of a file of KEY=value lines, as secretGenerator creates it. */
export function secretOf(name: string, envFile: string): KubeObject {
  const lines = envFile.split('\n').filter((line) => /^[A-Z]/.test(line));
  const data = Object.fromEntries(lines.map(splitLine));
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data };
}

function splitLine(line: string): [string, string] {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1)];
}

export function workloadsOf(objects: readonly KubeObject[]): Workload[] {
  return objects.flatMap((object) => {
    const template = object.spec?.template;
    const [container] = template?.spec.containers ?? [];
    if (!template || !container) return [];
    const { kind, metadata } = object;
    return [{ name: metadata.name, kind, object, template, pod: template.spec, container }];
  });
}

export function ofKind(objects: readonly KubeObject[], kind: string): KubeObject[] {
  return objects.filter((object) => object.kind === kind);
}

/** Whether a selector matches these labels; an empty one matches all. */
export function selects(selector: Selector, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`${operator} is not understood`);
      return values.includes(labels[key] ?? '');
    })
  );
}

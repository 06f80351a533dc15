import { isDeepStrictEqual } from 'node:util';
import type { Variable } from '../settings.js';
import type { Finding } from '../tree.js';
import { type KubeObject, ofKind } from './objects.js';

const namespace = 'monitoring';
const port = 4318;

/** Mistakes of the component: services that it does not configure, or too permissive a policy. */
export function tracesMistakes(
  component: readonly KubeObject[],
  read: ReadonlyMap<string, Variable[]>,
): Finding[] {
  const told = ofKind(component, 'ConfigMap');
  return [...read]
    .flatMap(([service, variables]) => {
      const settings = told.find(({ metadata }) => metadata.name === `${service}-settings`);
      const data = settings?.data ?? {};
      const known = new Set(variables.map(({ name }) => name));
      const unread = Object.keys(data).filter((name) => !known.has(name));
      const wrong = leadsElsewhere(data.OTEL_EXPORTER_OTLP_ENDPOINT) ? ['its collector'] : [];
      return [...unread, ...wrong].map((what) => `${service}: ${what}`);
    })
    .concat(policyMistakes(ofKind(component, 'NetworkPolicy')));
}

function leadsElsewhere(endpoint: string | undefined): boolean {
  const url = endpoint && URL.canParse(endpoint) ? new URL(endpoint) : null;
  return !url?.hostname.endsWith(`.${namespace}`) || url.port !== String(port);
}

function policyMistakes(policies: readonly KubeObject[]): Finding[] {
  const to = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }];
  const wanted = {
    podSelector: { matchLabels: { 'app.kubernetes.io/component': 'service' } },
    policyTypes: ['Egress'],
    egress: [{ to, ports: [{ protocol: 'TCP', port }] }],
  };
  const specs = policies.map(({ spec }) => spec);
  return isDeepStrictEqual(specs, [wanted]) ? [] : ['the way to the collector is another'];
}

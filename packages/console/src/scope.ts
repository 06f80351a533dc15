import type { Api } from './api/client.js';
import { asProblem, type Problem } from './api/problem.js';

/** A scope covers all paths with these prefixes, for reading and writing. */
const prefixes = {
  authorize: ['/authorize'],
  agents: ['/agents'],
  mandates: ['/mandates'],
  webhooks: ['/webhooks'],
  thresholds: ['/thresholds'],
  outcomes: ['/outcomes', '/crypto'],
  cases: ['/cases', '/fraud-patterns'],
} as const;

export type Scope = keyof typeof prefixes;

/** What a key cannot do: a scope, or to change anything, where its access is not `full`. */
export type Lack = Scope | 'change';

/** Null if no scope is required. */
export function scopeOf(path: string): Scope | null {
  const [first] = path.slice(1).split(/[/?]/);
  const found = Object.entries(prefixes).find(([, own]) =>
    own.some((prefix) => prefix === `/${first}`),
  );
  return (found?.[0] as Scope | undefined) ?? null;
}

/**
 * What the key lacks, if that is why a call was refused. The same error code also covers other
 * refusals, such as a key used from a forbidden address.
 */
export function lackOf({ fields }: Problem, path: string): Lack | null {
  const types = fields.map(({ type }) => type);
  if (types.includes('read_access') || types.includes('spend_access')) return 'change';
  return types.includes('scope_missing') ? scopeOf(path) : null;
}

const probes = [
  '/authorize/step-up/pending?limit=1',
  '/webhooks?limit=1',
  '/thresholds',
  '/cases?limit=1',
];

/** Changes nothing for any key: there is no such authorization. */
const changeProbe = '/authorize/step-up/auth_0/deny';

/**
 * Finds what the key lacks by a minimal request for each, since the API does not list the scopes of
 * a key. Other errors are ignored here; the screens report them.
 */
export async function lacksOf(api: Api, agentId?: string): Promise<ReadonlySet<Lack>> {
  const paths = agentId === undefined ? probes : [...probes, `/mandates/agent/${agentId}`];
  const lackIn = (sent: Promise<unknown>, path: string) =>
    sent.then(
      () => null,
      (thrown) => lackOf(asProblem(thrown), path),
    );
  const lacks = await Promise.all([
    lackIn(api.send('POST', changeProbe), changeProbe),
    ...paths.map((path) => lackIn(api.get(path), path)),
  ]);
  return new Set(lacks.filter((lack) => lack !== null));
}

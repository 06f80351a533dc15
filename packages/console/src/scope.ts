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
  cases: ['/cases'],
} as const;

export type Scope = keyof typeof prefixes;

/** Null if no scope is required. */
export function scopeOf(path: string): Scope | null {
  const [first] = path.slice(1).split(/[/?]/);
  const found = Object.entries(prefixes).find(([, own]) =>
    own.some((prefix) => prefix === `/${first}`),
  );
  return (found?.[0] as Scope | undefined) ?? null;
}

/**
 * The scope that the key lacks, if that is why a call was refused. The same error code also covers
 * other refusals, such as a key used from a forbidden address.
 */
export function lackingScope({ fields }: Problem, path: string): Scope | null {
  return fields.some(({ type }) => type === 'scope_missing') ? scopeOf(path) : null;
}

const probes = [
  '/authorize/step-up/pending?limit=1',
  '/webhooks?limit=1',
  '/thresholds',
  '/cases?limit=1',
];

/**
 * Finds the scopes that the key lacks by a minimal request for each, since the API does not list
 * the scopes of a key. Other errors are ignored here; the screens report them.
 */
export async function scopesLackingTo(api: Api, agentId?: string): Promise<ReadonlySet<Scope>> {
  const paths = agentId === undefined ? probes : [...probes, `/mandates/agent/${agentId}`];
  const lacking = await Promise.all(
    paths.map((path) =>
      api.get(path).then(
        () => null,
        (thrown) => lackingScope(asProblem(thrown), path),
      ),
    ),
  );
  return new Set(lacking.filter((scope) => scope !== null));
}

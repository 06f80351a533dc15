import type { Api } from './api/client.js';
import { asProblem, type Problem } from './api/problem.js';

/** A scope covers the paths below its prefixes, for reading and for writing alike. */
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

/** Null for what needs no scope. */
export function scopeOf(path: string): Scope | null {
  const [first] = path.slice(1).split(/[/?]/);
  const found = Object.entries(prefixes).find(([, own]) =>
    own.some((prefix) => prefix === `/${first}`),
  );
  return (found?.[0] as Scope | undefined) ?? null;
}

/**
 * The scope that the key lacks, where that is why a call was refused. Its code is that of other
 * refusals too: a key that is used from the wrong address lacks nothing.
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
 * What the key may not open, found by asking for the least of each: the API tells nobody the scopes
 * of a key. Whatever else goes wrong is said where it is looked at.
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

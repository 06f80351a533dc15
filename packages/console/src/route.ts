/** A location in the console, kept in the address: `#/agents/agt_1/decisions?limit=50`. */
export interface Route {
  screen: Screen;
  /** Id of the object shown; empty on list screens. */
  id: string;
  query: Record<string, string>;
}

const paths = {
  agents: '/agents',
  agent: '/agents/:id',
  decisions: '/agents/:id/decisions',
  log: '/decisions',
  decision: '/decisions/:id',
  mandate: '/mandates/:id',
  'step-ups': '/step-ups',
  cases: '/cases',
  case: '/cases/:id',
  takeovers: '/takeovers',
  webhooks: '/webhooks',
  webhook: '/webhooks/:id',
  thresholds: '/thresholds',
} as const;

export type Screen = keyof typeof paths;
const home: Route = { screen: 'agents', id: '', query: {} };
const idPattern = /^[a-z]{2,4}_[0-9A-Za-z]{1,64}$/;

/** Null for an unknown address, which is reported rather than guessed. */
export function parseRoute(hash: string): Route | null {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?');
  if (path === '' || path === '/') return home;
  const segments = path.split('/').slice(1);
  const query = Object.fromEntries(new URLSearchParams(search));
  for (const [screen, pattern] of Object.entries(paths)) {
    const id = idIn(segments, pattern.split('/').slice(1));
    if (id !== null) return { screen: screen as Screen, id, query };
  }
  return null;
}

/** The id in place of `:id`; null if the segments do not match the pattern. */
function idIn(segments: readonly string[], pattern: readonly string[]): string | null {
  if (segments.length !== pattern.length) return null;
  let id = '';
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (expected !== ':id' && expected !== segment) return null;
    if (expected === ':id') id = segment;
  }
  return pattern.includes(':id') && !idPattern.test(id) ? null : id;
}

type Query = Record<string, string | undefined>;

export function hrefOf(screen: Screen, id = '', query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value]],
  );
  const search = new URLSearchParams(given).toString();
  return `#${paths[screen].replace(':id', id)}${search === '' ? '' : `?${search}`}`;
}

const screenByPrefix: Record<string, Screen> = {
  auth: 'decision',
  agt: 'agent',
  mnd: 'mandate',
  wh: 'webhook',
  frd: 'case',
};

/** Prefixes of the ids that have a screen. */
export const shownKinds = Object.keys(screenByPrefix).map((prefix) => `${prefix}_…`);

/** Address of the screen for an id, by its prefix; null if there is none. */
export function hrefOfId(id: string): string | null {
  if (!idPattern.test(id)) return null;
  const screen = screenByPrefix[id.slice(0, id.indexOf('_'))];
  return screen ? hrefOf(screen, id) : null;
}

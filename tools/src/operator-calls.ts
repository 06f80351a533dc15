type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Under `/internal/v1`; a name in braces is taken from the arguments. */
export interface OperatorCall {
  method: Method;
  path: string;
}

/** The operator's interface, each call by the action under which it is audited. */
export const operatorCalls: Readonly<Record<string, OperatorCall>> = {
  'client.create': { method: 'POST', path: '/clients' },
  'client.list': { method: 'GET', path: '/clients' },
  'client.update': { method: 'PATCH', path: '/clients/{id}' },
  'program.create': { method: 'POST', path: '/clients/{id}/programs' },
  'program.update': { method: 'PATCH', path: '/{environment}/programs/{id}' },
  'credential.issue': { method: 'POST', path: '/clients/{id}/credentials' },
  'credential.list': { method: 'GET', path: '/clients/{id}/credentials' },
  'credential.rotate': { method: 'POST', path: '/credentials/{id}/rotate' },
  'credential.revoke': { method: 'POST', path: '/credentials/{id}/revoke' },
  'credential.update': { method: 'PATCH', path: '/credentials/{id}' },
  'principal.find': { method: 'GET', path: '/{environment}/principals/{id}' },
  'principal.update': { method: 'PATCH', path: '/{environment}/principals/{id}' },
  'profile.put': { method: 'PUT', path: '/{environment}/principals/{id}/profile' },
  'personal_data.read': { method: 'GET', path: '/{environment}/principals/{id}/personal-data' },
  'personal_data.erase': {
    method: 'DELETE',
    path: '/{environment}/principals/{id}/personal-data',
  },
  'vi_subject.list': { method: 'GET', path: '/{environment}/principals/{id}/vi-subjects' },
  'vi_subject.put': { method: 'PUT', path: '/{environment}/principals/{id}/vi-subjects' },
  'vi_subject.delete': { method: 'DELETE', path: '/{environment}/principals/{id}/vi-subjects' },
  'agent.find': { method: 'GET', path: '/{environment}/agents/{id}' },
  'authorization.find': { method: 'GET', path: '/{environment}/authorizations/{id}' },
  'vi_chain.read': { method: 'GET', path: '/{environment}/authorizations/{id}/vi-chain' },
  'fraud_pattern.list': { method: 'GET', path: '/{environment}/fraud-patterns' },
  'failing_webhook.list': { method: 'GET', path: '/{environment}/failing-webhooks' },
  'signing_key.rotate': { method: 'POST', path: '/signing-keys/rotate' },
  'audit.list': { method: 'GET', path: '/audit-events' },
  'openapi.read': { method: 'GET', path: '/openapi.json' },
  'docs.read': { method: 'GET', path: '/docs' },
};

const list = (text: string): string[] => text.split(',').filter((item) => item !== '');
const json = (text: string): unknown => JSON.parse(text);
const textOrNull = (text: string): string | null => (text === 'null' ? null : text);

/** How fields are written that are no text; everything else is judged by the service. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  rails: list,
  ip_allowlist: list,
  label: textOrNull,
  expires_at: textOrNull,
  grace_seconds: json,
  fraud_triage_enabled: json,
  limit_ceilings: json,
  metadata: json,
  profile: json,
  step_up: json,
};

export interface OperatorRequest {
  method: Method;
  /** With its query, if it has one. */
  path: string;
  body: Record<string, unknown> | null;
}

/** What to send for these arguments; throws with the name of a missing or unreadable one. */
export function requestOf(
  { method, path }: OperatorCall,
  given: ReadonlyMap<string, string>,
): OperatorRequest {
  const rest = new Map(given);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    if (!value) throw new Error(`It needs ${name}=….`);
    rest.delete(name);
    return encodeURIComponent(value);
  });
  if (method === 'GET' || method === 'DELETE') {
    const query = new URLSearchParams([...rest]).toString();
    return { method, path: query ? `${filled}?${query}` : filled, body: null };
  }
  return { method, path: filled, body: bodyOf(rest) };
}

function bodyOf(fields: ReadonlyMap<string, string>): Record<string, unknown> {
  return Object.fromEntries([...fields].map(([name, text]) => [name, fieldOf(name, text)]));
}

function fieldOf(name: string, text: string): unknown {
  try {
    const read = readers[name];
    return read ? read(text) : text;
  } catch {
    throw new Error(`${name} cannot be read as JSON.`);
  }
}

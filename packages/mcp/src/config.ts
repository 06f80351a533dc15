import { type ClientOptions, ConfigurationError } from '@countersign/sdk';

/** Agent, service and credential: from the environment only, never from the model. */
export interface Config {
  client: ClientOptions;
  agentId: string;
  reversals: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigurationError that names the variable, and never its value. */
export function readConfig(env: Environment): Config {
  const agentId = required(env, 'COUNTERSIGN_AGENT_ID');
  if (!/^agt_[0-9a-z]+$/i.test(agentId)) {
    throw new ConfigurationError('COUNTERSIGN_AGENT_ID must be the id of an agent: agt_…');
  }
  const common = {
    baseUrl: required(env, 'COUNTERSIGN_URL'),
    principalId: env.COUNTERSIGN_PRINCIPAL_ID || undefined,
    allowHttp: isOn(env, 'COUNTERSIGN_ALLOW_HTTP', false),
  };
  const reversals = isOn(env, 'COUNTERSIGN_REVERSALS', true);
  return { client: { ...common, ...credential(env) }, agentId, reversals };
}

function credential(env: Environment) {
  const apiKey = env.COUNTERSIGN_API_KEY;
  if (apiKey && (env.COUNTERSIGN_CLIENT_ID || env.COUNTERSIGN_CLIENT_SECRET)) {
    throw new ConfigurationError(
      'Set either COUNTERSIGN_API_KEY or COUNTERSIGN_CLIENT_ID, not both.',
    );
  }
  if (apiKey) return { apiKey };
  if (!env.COUNTERSIGN_CLIENT_ID) {
    throw new ConfigurationError(
      'Set COUNTERSIGN_API_KEY, or COUNTERSIGN_CLIENT_ID and COUNTERSIGN_CLIENT_SECRET.',
    );
  }
  const clientSecret = required(env, 'COUNTERSIGN_CLIENT_SECRET');
  return { oauth: { clientId: env.COUNTERSIGN_CLIENT_ID, clientSecret } };
}

function required(env: Environment, name: string): string {
  const value = env[name];
  if (value) return value;
  throw new ConfigurationError(`${name} is not set.`);
}

function isOn(env: Environment, name: string, fallback: boolean): boolean {
  const value = env[name];
  if (!value) return fallback;
  if (value === 'on' || value === 'off') return value === 'on';
  throw new ConfigurationError(`${name} must be on or off.`);
}

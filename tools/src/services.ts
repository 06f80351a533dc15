import { type Environment, environments } from '@countersign/kernel/environment';

/** In the order in which they are shown; they start concurrently. */
export const serviceNames = [
  'gateway',
  'identity',
  'decision',
  'ledger',
  'notifier',
  'settlement',
] as const;
export type ServiceName = (typeof serviceNames)[number];

export function isServiceName(text: string): text is ServiceName {
  return (serviceNames as readonly string[]).includes(text);
}

/** One database of one service. */
export interface DatabaseName {
  service: ServiceName;
  /** Null for the gateway, whose rows contain their environment. */
  environment: Environment | null;
  /** Its name on a server of this run. */
  name: string;
  /** Environment variable that names it from outside: `LEDGER_DATABASE_URL_LIVE`. */
  variable: string;
  /** Environment variable inside the service: `DATABASE_URL_LIVE`. */
  serviceVariable: string;
}

export function databasesOf(service: ServiceName): DatabaseName[] {
  const prefix = service.toUpperCase();
  if (service === 'gateway') {
    const variable = `${prefix}_DATABASE_URL`;
    const name = `countersign_${service}`;
    return [{ service, environment: null, name, variable, serviceVariable: 'DATABASE_URL' }];
  }
  return environments.map((environment) => {
    const serviceVariable = `DATABASE_URL_${environment.toUpperCase()}`;
    const variable = `${prefix}_${serviceVariable}`;
    const name = `countersign_${service}_${environment}`;
    return { service, environment, name, variable, serviceVariable };
  });
}

export interface Database extends DatabaseName {
  url: string;
}

/**
 * The URL of each database: from the environment, else on the given server. Without a server,
 * databases not named in the environment are returned in `missing`.
 */
export function locateDatabases(
  services: readonly ServiceName[],
  { env, serverUrl }: { env: NodeJS.ProcessEnv; serverUrl: string | null },
): { located: Database[]; missing: string[] } {
  const located: Database[] = [];
  const missing: string[] = [];
  for (const database of services.flatMap(databasesOf)) {
    const url = env[database.variable] || (serverUrl && onServer(serverUrl, database.name));
    if (url) located.push({ ...database, url });
    else missing.push(database.variable);
  }
  return { located, missing };
}

/** The same server and credentials, another database. */
export function onServer(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.toString();
}

import { parse } from 'yaml';
import type { Finding, ProjectFile } from './tree.js';

interface Compose {
  services: Record<string, ComposeService>;
}

interface ComposeService {
  environment?: Record<string, string>;
  depends_on?: Record<string, object>;
  stop_grace_period?: string;
  logging?: { driver?: string; options?: Record<string, string> };
}

const stores = ['postgres', 'redis', 'nats'];

/**
 * Stores that Compose would stop too early. It stops dependents before their dependencies but
 * ignores finished jobs, so a store on which only the migration depends would be stopped while a
 * service finishes its work.
 */
export function storesStoppedEarly(compose: ProjectFile): Finding[] {
  const { services } = parse(compose.text, { merge: true }) as Compose;
  return Object.entries(services).flatMap(([name, service]) => {
    const { environment = {}, depends_on: waitsFor = {}, stop_grace_period: finishes } = service;
    if (!finishes) return [];
    const told = Object.values(environment).join('\n');
    return stores
      .filter((store) => new RegExp(`(//|@)${store}:`).test(told) && !(store in waitsFor))
      .map((store) => `${compose.path}: ${store} stops before ${name}`);
  });
}

/**
 * Services whose container logs are unbounded: without these options they grow until the container
 * is removed.
 */
export function unboundedLogs(compose: ProjectFile): Finding[] {
  const { services } = parse(compose.text, { merge: true }) as Compose;
  return Object.entries(services)
    .filter(([, { logging }]) => {
      const { 'max-size': size, 'max-file': count } = logging?.options ?? {};
      return logging?.driver !== 'json-file' || !size || !count;
    })
    .map(([name]) => `${compose.path}: the log of ${name} has no bound`);
}

/** `${NAME:-default}`, as every variable of the compose file is written. */
const variable = /\$\{([A-Z_]+):-([^}]*)\}/g;

/** Variables of the compose file that its example of a .env lacks or names with another default. */
export function exampleMistakes(compose: ProjectFile, example: ProjectFile): Finding[] {
  const told = variablesIn(compose.text, variable);
  const shown = variablesIn(example.text, /^#([A-Z_]+)=(.*)$/gm);
  const isPlaceholder = (text: string): boolean => text === '' || text.includes('example.com');
  return [
    ...[...told.keys()].filter((name) => !shown.has(name)).map((name) => `${name} is missing`),
    ...[...shown.keys()].filter((name) => !told.has(name)).map((name) => `${name} is not read`),
    ...[...shown]
      .filter(([name, text]) => !isPlaceholder(text) && text !== told.get(name))
      .map(([name]) => `${name} has another default`),
  ].map((what) => `${example.path}: ${what}`);
}

/** Defaults of the compose file that are not those of the service, as its README names them. */
export function defaultMistakes(compose: ProjectFile, readmes: readonly ProjectFile[]): Finding[] {
  const { services } = parse(compose.text, { merge: true }) as Compose;
  return readmes.flatMap((readme) => {
    const service = readme.path.split('/')[1] ?? '';
    const own = variablesIn(readme.text, /^\| `([A-Z_]+)` \|.*\| ([^|]+) \|$/gm);
    return Object.entries(services[service]?.environment ?? {}).flatMap(([name, value]) => {
      const [whole, , fallback = ''] = [...value.matchAll(variable)][0] ?? [];
      const expected = own.get(name) ?? 'empty';
      const isFree = whole !== value || ['empty', '*required*'].includes(expected);
      if (isFree || sorted(fallback) === sorted(expected)) return [];
      return [`${compose.path}: ${name} of ${service} is ${fallback}, not ${expected}`];
    });
  });
}

function variablesIn(text: string, pattern: RegExp): Map<string, string> {
  return new Map([...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value]));
}

/** The order of a list does not matter. */
function sorted(list: string): string {
  return list.split(',').sort().join();
}

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

import { fileURLToPath } from 'node:url';
import { loadSync, type PackageDefinition, type ServiceDefinition } from '@grpc/proto-loader';

/** The one set of options: generated types are made with the same, or they would lie. */
const options = {
  keepCase: false,
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
} as const;

/**
 * Loads one service of the inner contract. `D` is its generated definition type.
 * Throws at start-up when the file does not name the service: a mistake of the build.
 */
export function loadService<D>(file: string, fullName: string): D & ServiceDefinition {
  const path = fileURLToPath(new URL(`../${file}.proto`, import.meta.url));
  const loaded: PackageDefinition = loadSync(path, options);
  const definition = loaded[fullName];
  if (!definition) throw new Error(`${file}.proto does not define ${fullName}`);
  return definition as D & ServiceDefinition;
}

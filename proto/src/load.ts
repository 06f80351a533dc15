import { fileURLToPath } from 'node:url';
import { loadSync, type PackageDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import { encodeDirectly } from './direct-writer.js';

encodeDirectly();

/** The generator of the types uses the same options; with others the types would be wrong. */
const options = {
  keepCase: false,
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
} as const;

/**
 * Loads one service of the internal API. `D` is its generated definition type.
 *
 * Throws at start-up if the file does not define the service, which would be an error in the build.
 */
export function loadService<D>(file: string, fullName: string): D & ServiceDefinition {
  const path = fileURLToPath(new URL(`../${file}.proto`, import.meta.url));
  const loaded: PackageDefinition = loadSync(path, options);
  const definition = loaded[fullName];
  if (!definition) throw new Error(`${file}.proto does not define ${fullName}`);
  return definition as D & ServiceDefinition;
}

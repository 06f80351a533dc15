import type { ServiceName } from '@countersign/tools/services';
import type { Stack } from '@countersign/tools/stack';

/** The database of a service, in the environment that is measured. */
export function databaseOf(stack: Stack, service: ServiceName): string {
  const found = stack.databases.find(
    (each) => each.service === service && each.environment === 'live',
  );
  if (!found) throw new Error(`${service} has no live database`);
  return found.url;
}

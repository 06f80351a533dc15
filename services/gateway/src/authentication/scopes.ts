/** Scopes a credential may carry; three of them are reserved and map to no path yet. */
export const scopeNames = [
  'authorize',
  'agents',
  'mandates',
  'webhooks',
  'thresholds',
  'principals',
  'risk',
  'metrics',
  'outcomes',
  'vault',
  'cases',
] as const;
const known: ReadonlySet<string> = new Set(scopeNames);

export function isScope(name: string): boolean {
  return known.has(name);
}

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
/** What opens a path. */
export type Scope = Exclude<(typeof scopeNames)[number], 'risk' | 'metrics' | 'vault'>;

const known: ReadonlySet<string> = new Set(scopeNames);

export function isScope(name: string): boolean {
  return known.has(name);
}

/** Empty is full access, null is none. */
export type Allowed = readonly string[] | null;

/**
 * What a token still opens: what was frozen into it, as far as its credential has it now. It never
 * grows with its credential, and does not outlive what was taken from it.
 */
export function scopesWithin(minted: readonly string[], current: readonly string[]): Allowed {
  if (current.length === 0) return minted;
  if (minted.length === 0) return current;
  const both = minted.filter((scope) => current.includes(scope));
  return both.length > 0 ? both : null;
}

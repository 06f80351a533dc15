/** The two isolated environments. The prefix of the credential alone selects one. */
export const environments = ['live', 'sandbox'] as const;
export type Environment = (typeof environments)[number];

/** One value per environment. */
export type PerEnvironment<T> = Record<Environment, T>;

export function isEnvironment(value: unknown): value is Environment {
  return value === 'live' || value === 'sandbox';
}

/** Builds the pair, so that no service repeats `{ live: f('live'), sandbox: f('sandbox') }`. */
export function perEnvironment<T>(make: (environment: Environment) => T): PerEnvironment<T> {
  return { live: make('live'), sandbox: make('sandbox') };
}

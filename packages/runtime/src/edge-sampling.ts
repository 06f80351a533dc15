/** The names that OpenTelemetry gives to them. */
export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplers)[number];

export interface EdgeSampling {
  sampler: SamplerName;
  /** Of the requests, 0 to 1. */
  ratio: number;
  /** Whether the word of a caller counts, that its own trace is kept or is not. */
  followCallers: boolean;
}

/** Whether a request is traced; `callerKeeps` is null where the caller says nothing of a trace. */
export type Sample = (callerKeeps: boolean | null) => boolean;

/**
 * The ratio is drawn and not computed from the trace's id: the id may be the caller's choice, and
 * one that always falls below the ratio is easily made.
 */
export function edgeSampler({ sampler, ratio, followCallers }: EdgeSampling): Sample {
  const own = ownShare(sampler, ratio);
  const keep = (): boolean => Math.random() < own;
  if (!followCallers || !sampler.startsWith('parentbased_')) return keep;
  return (callerKeeps) => callerKeeps ?? keep();
}

function ownShare(sampler: SamplerName, ratio: number): number {
  if (sampler.endsWith('always_on')) return 1;
  return sampler.endsWith('always_off') ? 0 : ratio;
}

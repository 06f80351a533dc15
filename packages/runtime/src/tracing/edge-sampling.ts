/** The sampler names of OpenTelemetry. */
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
  /** Share of requests, 0 to 1. */
  ratio: number;
  /** Whether the sampling decision in a caller's trace context is honoured. */
  followCallers: boolean;
}

/** Whether to trace a request; `callerKeeps` is null if the caller sent no trace context. */
export type Sample = (callerKeeps: boolean | null) => boolean;

/**
 * Sampling is random rather than derived from the trace id, because a caller may choose the id and
 * could make one that is always sampled.
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

import type { Tracer } from './trace.js';
import type { EdgeSampling } from './tracing/edge-sampling.js';
import type { TracingConfig, TracingParts } from './tracing/options.js';

/**
 * Null if no collector is configured: then nothing is loaded, sampled or stored. Open it before
 * everything that creates spans, so that it is closed after them.
 */
export async function openTracing(
  config: TracingConfig,
  { service, ...parts }: TracingParts,
): Promise<Tracer | null> {
  const { otlpEndpoint: endpoint, otlpHeaders: headers } = config;
  if (endpoint === '') return null;
  const { createOtlpTracer } = await import('./tracing/otlp-tracer.js');
  const serviceName = config.otelServiceName || service;
  return createOtlpTracer({
    ...parts,
    settings: { endpoint, headers, serviceName },
    edge: edgeOf(config),
  });
}

function edgeOf(config: TracingConfig): EdgeSampling | null {
  const { tracesSampler: sampler, tracesSamplerRatio: ratio, tracesFollowCallers } = config;
  if (sampler === undefined || ratio === undefined) return null;
  return { sampler, ratio, followCallers: tracesFollowCallers === 'on' };
}

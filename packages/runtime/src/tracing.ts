import type { EdgeSampling } from './edge-sampling.js';
import type { Tracer } from './trace.js';
import type { EdgeTracingConfig, TracingConfig, TracingParts } from './tracing-options.js';

/**
 * Null where no collector is named: then nothing is loaded, nothing is asked, nothing is kept. To
 * be opened before whatever makes spans, so that it is closed after it.
 */
export async function openTracing(
  config: TracingConfig & Partial<EdgeTracingConfig>,
  { service, ...parts }: TracingParts,
): Promise<Tracer | null> {
  const { otlpEndpoint: endpoint, otlpHeaders: headers } = config;
  if (endpoint === '') return null;
  const { createOtlpTracer } = await import('./otlp-tracer.js');
  const serviceName = config.otelServiceName || service;
  return createOtlpTracer({
    ...parts,
    settings: { endpoint, headers, serviceName },
    edge: edgeOf(config),
  });
}

function edgeOf(config: Partial<EdgeTracingConfig>): EdgeSampling | null {
  const { tracesSampler: sampler, tracesSamplerRatio: ratio, tracesFollowCallers } = config;
  if (sampler === undefined || ratio === undefined) return null;
  return { sampler, ratio, followCallers: tracesFollowCallers === 'on' };
}

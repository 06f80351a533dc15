import type { Lifecycle } from '../lifecycle.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { EdgeSampling, SamplerName } from './edge-sampling.js';

/** As `tracingSettings` reads them. */
export interface TracingConfig {
  otlpEndpoint: string;
  otlpHeaders: Record<string, string>;
  otelServiceName: string;
}

/** As `edgeTracingSettings` reads them. */
export interface EdgeTracingConfig {
  tracesSampler: SamplerName;
  tracesSamplerRatio: number;
  tracesFollowCallers: 'on' | 'off';
}

export interface TracingParts {
  service: string;
  metrics: Metrics;
  log: Logger;
  lifecycle: Lifecycle;
  /** Overrides the capacity of the queue, in tests. */
  queue?: { maxWaiting: number };
}

export interface TracingOptions extends Omit<TracingParts, 'service'> {
  settings: { endpoint: string; headers: Record<string, string>; serviceName: string };
  /** The sampling decision at the edge; null in a service that only continues traces. */
  edge: EdgeSampling | null;
}

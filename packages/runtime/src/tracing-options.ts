import type { EdgeSampling, SamplerName } from './edge-sampling.js';
import type { Lifecycle } from './lifecycle.js';
import type { Logger } from './log.js';
import type { Metrics } from './metrics.js';

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
  /** More room or less for what waits, in tests. */
  queue?: { maxWaiting: number };
}

export interface TracingOptions extends Omit<TracingParts, 'service'> {
  settings: { endpoint: string; headers: Record<string, string>; serviceName: string };
  /** Where it is decided what is traced; null in a service that only goes on with it. */
  edge: EdgeSampling | null;
}

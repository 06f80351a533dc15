import type { Lifecycle } from '../lifecycle.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { edgeTracingSettings, tracingSettings } from '../process-settings.js';
import type { Settings } from '../settings.js';
import type { EdgeSampling } from './edge-sampling.js';

export type TracingConfig = Settings<typeof tracingSettings> &
  Partial<Settings<typeof edgeTracingSettings>>;

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

import type { Environment } from '@countersign/kernel/environment';
import type { BusEvent, BusTopic } from '@countersign/kernel/event';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { Trace, Tracer } from '../trace.js';

export interface BusOptions {
  url: string;
  /** Name of the process, and prefix of its durable consumers. */
  service: string;
  /** First part of every subject and stream, so that several installations can share a server. */
  namespace: string;
  log: Logger;
  metrics: Metrics;
  /** Time for the first connection, after which the bus is reported as unavailable. */
  usuallyOpenMs?: number;
  /** Null or absent if tracing is off. */
  tracer?: Tracer | null;
}

export interface Subscription {
  environment: Environment;
  topic: BusTopic;
  /** Resolves once the effect is durable; only then is the message acknowledged. */
  handle: (event: BusEvent, trace: Trace) => Promise<void>;
}

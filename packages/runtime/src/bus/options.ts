import type { Environment } from '@countersign/kernel/environment';
import type { BusEvent, BusTopic } from '@countersign/kernel/event';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { Trace, Tracer } from '../trace.js';

export interface BusOptions {
  /** URLs of servers of one cluster, comma-separated, maybe with `user:password@` or `token@`. */
  url: string;
  /** A `.creds` file, or a file with the seed of an nkey. */
  credentialsFile?: string | null;
  /** A client certificate and its key, in PEM. */
  certFile?: string | null;
  keyFile?: string | null;
  /** Absent or empty for that of the server. */
  jetStreamDomain?: string;
  /** Of the streams that are created. */
  streamReplicas?: number;
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

/** What every use of JetStream is given. */
export function jetStreamOf({ jetStreamDomain: domain }: BusOptions): { domain?: string } {
  return domain ? { domain } : {};
}

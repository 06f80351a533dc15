import { environments } from '@countersign/kernel/environment';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { forgetLoopMonitor, watchEventLoop, withoutLoopMonitor } from './metrics/event-loop.js';

export type { Counter, Gauge, Histogram } from 'prom-client';

/** Seconds; from half a millisecond to the longest deadline on the path of one request. */
const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

type RoundTrip = 'grpc' | 'redis' | 'postgres' | 'publish';

/**
 * A counter that does not exist before its first events hides these from an increase. Its labels
 * are the environment and, if these are given, another with these values. Returns the counter.
 */
export function startAtZero<L extends string = never>(
  counter: Counter<'environment' | L>,
  values?: readonly string[],
): Counter<'environment' | L> {
  const others = values?.map((value) => [value]) ?? [[]];
  for (const environment of environments) {
    for (const other of others) counter.labels(environment, ...other).inc(0);
  }
  return counter;
}

/** One registry per process, created in its context; names begin with `countersign_`. */
export class Metrics {
  readonly registry = new Registry();
  readonly #roundTrips: Counter<'kind'>;

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    collectDefaultMetrics({ register: this.registry, ...withoutLoopMonitor });
    forgetLoopMonitor(this.registry);
    watchEventLoop(
      this.histogram('event_loop_delay_seconds', 'how late timers are, looked at now and then'),
    );
    this.#roundTrips = this.counter('round_trips_total', 'calls to another process', ['kind']);
  }

  counter<L extends string>(name: string, help: string, labelNames: L[] = []): Counter<L> {
    return new Counter({
      name: `countersign_${name}`,
      help,
      labelNames,
      registers: [this.registry],
    });
  }

  gauge<L extends string>(name: string, help: string, labelNames: L[] = []): Gauge<L> {
    return new Gauge({ name: `countersign_${name}`, help, labelNames, registers: [this.registry] });
  }

  /** Sets the values of a gauge whenever the metrics are scraped. */
  sample<L extends string>(gauge: Gauge<L>, read: (gauge: Gauge<L>) => void): void {
    // What the option `collect` of prom-client does, for a gauge that `gauge()` has made.
    Object.assign(gauge, { collect: () => read(gauge) });
  }

  histogram<L extends string>(name: string, help: string, labelNames: L[] = []): Histogram<L> {
    return new Histogram({
      name: `countersign_${name}`,
      help,
      labelNames,
      buckets: durationBuckets,
      registers: [this.registry],
    });
  }

  /** Counts a round trip, so that a regression of the hot path shows without measuring time. */
  roundTrip(kind: RoundTrip): void {
    this.#roundTrips.inc({ kind });
  }
}

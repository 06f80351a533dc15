import { environments, type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import type { Bus } from '../bus.js';
import type { Store } from '../database/stores.js';
import type { Lifecycle } from '../lifecycle.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import { type Relay, startRelay } from '../outbox.js';
import { createBehindGauge } from './reports.js';

interface Parts {
  stores: PerEnvironment<Pick<Store, 'pool'>>;
  bus: Bus;
  log: Logger;
  lifecycle: Lifecycle;
  metrics: Metrics;
}

/** Publishes the outboxes of both environments until the lifecycle ends. */
export function startRelays({
  stores,
  bus,
  log,
  lifecycle,
  metrics,
}: Parts): PerEnvironment<Relay> {
  const behind = createBehindGauge(metrics);
  const relays = perEnvironment((environment) =>
    startRelay({ environment, pool: stores[environment].pool, bus, log, behind }),
  );
  lifecycle.onShutdown('relays', async () => {
    await Promise.all(environments.map((environment) => relays[environment].stop()));
  });
  return relays;
}

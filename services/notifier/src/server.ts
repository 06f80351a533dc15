import { type Environment, environments } from '@countersign/kernel/environment';
import { notifierService } from '@countersign/proto/notifier';
import type { Counter } from '@countersign/runtime/metrics';
import { sweepChore } from '@countersign/runtime/retention';
import { type Ports, serve } from '@countersign/runtime/serve';
import { startUpkeep } from '@countersign/runtime/upkeep';
import { answerListener } from './codes/challenge.js';
import { countedCodes } from './codes/code-metrics.js';
import { Courier } from './codes/courier.js';
import { consumer } from './consumer.js';
import type { Context } from './context.js';
import { type DeliveryMetrics, deliveryMetrics } from './delivery-metrics.js';
import { causingTypes } from './derive.js';
import { Dispatcher } from './dispatcher.js';
import { handlers } from './handlers/index.js';
import { createPoster } from './post.js';
import { bringForward } from './set-back.js';
import { sweeps } from './sweep.js';

/** In addition to the longest attempt: time to store its result. */
const leaseSlackMs = 5_000;

/**
 * Starts deliveries, event consumption and the gRPC server; all of them end with the lifecycle.
 */
export async function startServer(context: Context): Promise<Ports> {
  const { lifecycle, metrics } = context;
  const counted = deliveryMetrics(metrics);
  const sentCodes = countedCodes(metrics);
  const senders = environments.flatMap((environment) => [
    dispatcher(context, environment, counted),
    courier(context, environment, sentCodes),
  ]);
  for (const each of senders) each.start();
  lifecycle.onShutdown('senders', async () => {
    await Promise.all(senders.map((each) => each.stop()));
  });
  for (const environment of environments) listen(context, environment);
  // Ready also without the bus: webhooks can be managed then, and due deliveries are sent.
  const contract = { service: notifierService, handlers: handlers(context) };
  return serve(context, contract);
}

function dispatcher(
  context: Context,
  environment: Environment,
  metrics: DeliveryMetrics,
): Dispatcher {
  const { config, cipher, guard, clock, log, tracer } = context;
  const { webhookTimeoutMs: timeoutMs, webhookConnectTimeoutMs: connectTimeoutMs } = config;
  return new Dispatcher({
    environment,
    pool: context.stores[environment].pool,
    signal: context.signals[environment],
    // One per environment, because closing one at a shutdown must not abort the other's attempts.
    poster: createPoster({ guard, timeoutMs, connectTimeoutMs }),
    metrics,
    cipher,
    guard,
    clock,
    tracer,
    log: log.child({ environment }),
    retryBaseMs: config.webhookRetryBaseMs,
    leaseMs: timeoutMs + leaseSlackMs,
    limits: { total: config.webhookConcurrency, perEndpoint: config.webhookEndpointConcurrency },
  });
}

function courier(
  context: Context,
  environment: Environment,
  attempts: Counter<'environment' | 'outcome'>,
): Courier {
  const { config, identity, hasher, codes: sender } = context;
  const { codesPerClientHourLive, codesPerClientHourSandbox } = config;
  return new Courier({
    environment,
    pool: context.stores[environment].pool,
    signal: context.codeSignals[environment],
    identity,
    sender,
    hasher,
    limits: {
      addressTenMinutes: config.codesPerAddress,
      addressDay: config.codesPerAddressDay,
      clientHour: environment === 'live' ? codesPerClientHourLive : codesPerClientHourSandbox,
    },
    attempts,
    log: context.log.child({ environment }),
  });
}

function listen(context: Context, environment: Environment): void {
  const pool = context.stores[environment].pool;
  const log = context.log.child({ environment });
  const handle = consumer({
    pool,
    log,
    wakeDispatcher: () => context.signals[environment].wake(),
    wakeCourier: () => context.codeSignals[environment].wake(),
  });
  for (const topic of causingTypes) context.bus.subscribe({ environment, topic, handle });
  const answered = answerListener(pool);
  context.bus.subscribe({ environment, topic: 'authorization.amended', handle: answered });
  const setBack = 'what would wait, since the clock of the database was set back, is due';
  const chores = [
    sweepChore(setBack, pool, bringForward),
    sweepChore('forgot what is past', pool, sweeps(context.config.deliveryRetentionDays)),
  ];
  startUpkeep(chores, { log: context.log, lifecycle: context.lifecycle, environment });
}

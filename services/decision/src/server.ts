import { type Environment, environments } from '@countersign/kernel/environment';
import type { BusEvent } from '@countersign/kernel/event';
import { decisionService } from '@countersign/proto/decision';
import { multiplexService } from '@countersign/proto/multiplex';
import { eventChore, sweepChore } from '@countersign/runtime/retention';
import { type Ports, serve } from '@countersign/runtime/serve';
import { startUpkeep } from '@countersign/runtime/upkeep';
import type { Context } from './context.js';
import { handlers } from './handlers/index.js';
import { profileConsumer, profileTopics } from './profile/consumer.js';
import { triageConsumer } from './triage/consumer.js';
import { outcomeReporter } from './triage/report.js';
import { triageSweeps } from './triage/sweep.js';
import { triageInputOf } from './triage/triage-input.js';

/** Starts the gRPC server, the event consumers and the upkeep; the lifecycle stops them. */
export async function startServer(context: Context): Promise<Ports> {
  for (const environment of environments) consumeEvents(context, environment);
  // Only the live database is needed: without bus, Redis, identity or ledger it still answers.
  const contract = { service: decisionService, handlers: handlers(context) };
  return serve(context, { ...contract, multiplex: multiplexService });
}

function consumeEvents(context: Context, environment: Environment): void {
  const { bus, config, lifecycle } = context;
  const { pool } = context.stores[environment];
  const log = context.log.child({ environment });
  const caseSweeps = triageSweeps(config.fraudCaseRetentionDays);
  const oldCases = sweepChore('forgot old fraud cases', pool, caseSweeps);
  startUpkeep([eventChore(pool), oldCases], { log: context.log, lifecycle, environment });
  const handle = recordedHandler(context, environment);
  for (const topic of profileTopics) bus.subscribe({ environment, topic, handle });
  const report = outcomeReporter({ ledger: context.ledger, log });
  bus.subscribe({ environment, topic: 'fraud.case_resolved', handle: report });
}

/** One listener for profiles and fraud triage, so that each event is delivered and parsed once. */
function recordedHandler(
  { counted, relays, stateCache, stores }: Context,
  environment: Environment,
): (event: BusEvent) => Promise<void> {
  const { pool } = stores[environment];
  const onAnnounced = (): void => relays[environment].wake();
  const learn = profileConsumer({ pool, cache: stateCache[environment], onAnnounced });
  const triage = triageConsumer({ pool, counted: counted.triage, onAnnounced });
  const triageIfRelevant = (event: BusEvent): Promise<void> | null => {
    try {
      const input = triageInputOf(event);
      return input && triage(input);
    } catch (error) {
      // Thrown, it would leave the promise of `learn` unhandled, which ends the process.
      return Promise.reject(error);
    }
  };
  return (event) => {
    const learnt = learn(event);
    const triaged = triageIfRelevant(event);
    return triaged === null ? learnt : Promise.all([learnt, triaged]).then(() => {});
  };
}

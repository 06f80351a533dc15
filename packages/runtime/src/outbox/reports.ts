import type { Environment } from '@countersign/kernel/environment';
import type { Logger } from '../log.js';
import type { Gauge, Metrics } from '../metrics.js';
import { RepeatedFailure } from '../repeated-failure.js';
import type { Relayed } from './relay-batch.js';

/** One gauge for the relays of all environments of a process. */
export function createBehindGauge(metrics: Metrics): Gauge<'environment'> {
  return metrics.gauge('outbox_behind_seconds', 'since no event was waiting to be published', [
    'environment',
  ]);
}

interface Behind {
  environment: Environment;
  behind?: Gauge<'environment'>;
}

/** Sets the gauge to the seconds since there was last nothing to publish. */
export function behindReporter({ behind, environment }: Behind): (isEmpty: boolean) => void {
  let emptyAt = performance.now();
  return (isEmpty) => {
    if (isEmpty) emptyAt = performance.now();
    behind?.set({ environment }, (performance.now() - emptyAt) / 1_000);
  };
}

/** Says why events are not published, and that they are again, or could be. */
export function failureReporter({ log, environment }: { log: Logger; environment: Environment }) {
  const failure = new RepeatedFailure({
    ...{ log, facts: { environment } },
    failed: 'events could not be published; they stay in the outbox',
    over: 'events are published again',
  });
  /** Until this replica has published something, another may have locked what was refused. */
  let refused = false;
  return {
    failed: (error: unknown): void => failure.failed(error),
    relayed: ({ published, isAll, refusal }: Relayed): void => {
      refused = refusal !== null || (refused && published === 0);
      if (refusal) failure.failed(refusal.reason);
      else if (published > 0 || (isAll && !refused)) failure.succeeded();
    },
  };
}

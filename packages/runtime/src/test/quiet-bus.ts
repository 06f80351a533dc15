import { newId } from '@countersign/kernel/id';
import type { BusOptions } from '../bus/options.js';
import { createLog } from '../log.js';
import { Metrics } from '../metrics.js';

/** Of a bus with a namespace of its own, which logs nothing. */
export function quietBus(given: Partial<BusOptions> & Pick<BusOptions, 'url'>): BusOptions {
  const log = createLog({ service: 'test', level: 'silent' });
  const metrics = new Metrics('test');
  return { service: 'test', namespace: newId('event'), log, metrics, ...given };
}

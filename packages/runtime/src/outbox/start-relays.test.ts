import { test } from 'tap';
import type { Bus } from '../bus.js';
import type { Pool } from '../database.js';
import { Lifecycle } from '../lifecycle.js';
import type { Logger } from '../log.js';
import { Metrics } from '../metrics.js';
import { until } from '../testing.js';
import { startRelays } from './start-relays.js';

test('a line about events names its environment once', async (t) => {
  const lines: string[][] = [];
  const logger = (bound: object): Logger => {
    const say = (about: object): void => {
      lines.push([...Object.keys(bound), ...Object.keys(about)]);
    };
    const child = (more: object) => logger({ ...bound, ...more });
    return { child, debug: say, info: say, warn: say, error: say } as unknown as Logger;
  };
  const log = logger({});
  const lifecycle = new Lifecycle(log);
  const noAnswer = () => Promise.reject(new Error('no answer'));
  const bus = { connected: () => true, opened: async () => {}, keptSince: noAnswer };
  const store = { pool: { connect: noAnswer } as unknown as Pool };
  startRelays({
    stores: { live: store, sandbox: store },
    bus: bus as unknown as Bus,
    ...{ log, lifecycle, metrics: new Metrics('test') },
  });
  await until(() => lines.length === 4, { what: 'two lines for each environment' });
  for (const names of lines) t.same(names.sort(), ['environment', 'err']);
  await lifecycle.shutdown();
});

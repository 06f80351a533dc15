import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { until } from '@countersign/runtime/testing';
import root, { test } from 'tap';
import { startServer } from '../server.js';
import { startDecision } from './decision-service.js';

const { context, stop } = await startDecision();
root.teardown(stop);

test('a line about events names its environment once', async (t) => {
  const lines: Array<{ text: string; names: string[] }> = [];
  const logger = (bound: object): Logger => {
    const say = (about: object, text: string): void => {
      lines.push({ text, names: [...Object.keys(bound), ...Object.keys(about)] });
    };
    const child = (more: object) => logger({ ...bound, ...more });
    return { child, debug: say, info: say, warn: say, error: say } as unknown as Logger;
  };
  const keptSince = () => Promise.reject(new Error('no answer'));
  // The service above has subscribed already.
  const bus = { ...context.bus, keptSince, subscribe: () => {} };
  await startServer({ ...context, log: logger({}), bus, metrics: new Metrics('second') });
  const told = () => lines.filter(({ text }) => /^it is unknown whether the bus/.test(text));
  await until(() => told().length === 2, { what: 'a line for each environment' });
  for (const { names } of told()) t.same([...names].sort(), ['environment', 'err']);
});

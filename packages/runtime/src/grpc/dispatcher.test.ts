import { Fault } from '@countersign/kernel/fault';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { pino } from 'pino';
import { test } from 'tap';
import { Metrics } from '../metrics.js';
import { createDispatcher } from './dispatcher.js';

interface Line {
  level: number;
  msg: string;
  err: { message: string };
}

const warn = 40;
const error = 50;

/** What is logged and counted when a handler throws this. */
async function failed(thrown: Error): Promise<{ lines: Line[]; outcome: unknown }> {
  const lines: Line[] = [];
  const metrics = new Metrics('test');
  const dispatcher = createDispatcher({
    handlers: { Read: () => Promise.reject(thrown) },
    log: pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line) as Line) }),
    metrics,
    service: {} as ServiceDefinition,
  });
  const facts = { requestId: 'req-1', deadlineAt: 0, carrier: null } as const;
  // The caller hears of it, too, which is not the subject here.
  await dispatcher.answer('Read', {}, { ...facts, environment: 'live' }).catch(() => {});
  const seconds = await metrics.registry.getSingleMetric('countersign_grpc_server_seconds')?.get();
  return { lines, outcome: seconds?.values[0]?.labels.outcome };
}

test('a database that is away counts as what the caller is told, and is no defect', async (t) => {
  for (const text of ['Connection terminated due to connection timeout', 'Query read timeout']) {
    const { lines, outcome } = await failed(new Error(text));
    t.equal(outcome, 'SERVICE_UNAVAILABLE');
    t.match(lines, [{ level: warn, msg: 'call could not be carried out' }]);
    t.match(lines[0]?.err.message, text, 'the log says what is away');
  }
});

test('a defect is an error, with its stack', async (t) => {
  const { lines, outcome } = await failed(new TypeError('undefined is not a function'));
  t.equal(outcome, 'INTERNAL_ERROR');
  t.match(lines, [{ level: error, msg: 'call failed', err: { stack: /dispatcher\.test/ } }]);
});

test('a refusal has its own code and leaves no line', async (t) => {
  const refusal = new Fault('not_found', { code: 'NOT_FOUND', message: 'There is no such agent.' });
  t.strictSame(await failed(refusal), { lines: [], outcome: 'NOT_FOUND' });
});

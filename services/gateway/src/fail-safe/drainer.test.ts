import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Environment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { until } from '@countersign/runtime/testing';
import { test } from 'tap';
import { handOver, startFailSafeDrainer } from './drainer.js';
import { type FailSafeEntry, WaitingEntries } from './waiting-entries.js';

const log = createLog({ service: 'gateway', level: 'silent' });
const away = new Fault('unavailable', { code: 'SERVICE_UNAVAILABLE', message: 'away' });

function entry(id: string, keyScope: string | null = null): FailSafeEntry {
  const request = { authorizationId: id, transactionId: `txn_${id}`, payment: {} };
  return { id, keyScope, environment: 'sandbox', requestId: id, request } as FailSafeEntry;
}

type RecordFailSafe = (request: unknown, to: { environment: Environment }) => Promise<unknown>;

/** Entries that wait for a decision service that does this with each. */
function waitingFor(record: RecordFailSafe, ids: string[]) {
  const waiting = new WaitingEntries();
  for (const id of ids) waiting.hold(entry(id), 0);
  const failSafeJournal = { waiting, remove: async ({ id }: FailSafeEntry) => waiting.letGo(id) };
  const clients = { decision: { call: { RecordFailSafe: record } } };
  const lifecycle = new Lifecycle(log);
  const parts = { clients, failSafeJournal, log, lifecycle } as unknown;
  return { waiting, lifecycle, parts: parts as Parameters<typeof startFailSafeDrainer>[0] };
}

test('an answer that cannot be recorded yet lets the others pass', async (t) => {
  const { waiting, parts } = waitingFor(() => Promise.reject(away), ['a', 'b']);
  t.equal(await handOver(parts, entry('a'), 100), false);
  t.same(
    waiting.all.map(({ id }) => id),
    ['b', 'a'],
  );
});

test('an environment that takes none is left alone until the next round', async (t) => {
  // More than a round takes.
  const sandboxIds = Array.from({ length: 100 }, (_, index) => `s${index}`);
  let toSandbox = 0;
  let recorded: { after: number } | undefined;
  const { waiting, lifecycle, parts } = waitingFor(async (_, { environment }) => {
    if (environment === 'live') recorded = { after: toSandbox };
    else {
      toSandbox += 1;
      throw away;
    }
  }, sandboxIds);
  waiting.hold({ ...entry('l'), environment: 'live' }, 0);
  startFailSafeDrainer(parts);
  await until(() => recorded !== undefined, { what: 'the answer of the other environment' });
  await lifecycle.shutdown();
  t.ok((recorded?.after ?? 0) < 10, `one call of each worker, not 100: ${recorded?.after}`);
  t.same(waiting.all.map(({ id }) => id).sort(), sandboxIds.sort());
});

test('an environment that does not answer keeps no answer of the other waiting', async (t) => {
  const sandboxIds = Array.from({ length: 100 }, (_, index) => `s${index}`);
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { waiting, lifecycle, parts } = waitingFor(async (_, { environment }) => {
    if (environment === 'sandbox') await answered;
  }, sandboxIds);
  const live = (id: string): FailSafeEntry => ({ ...entry(id), environment: 'live' });
  for (let n = 0; n < 100; n += 1) waiting.hold(live(`l${n}`), 0);
  startFailSafeDrainer(parts);
  const isSandboxLeft = () => waiting.all.map(({ id }) => id).join() === sandboxIds.join();
  await until(isSandboxLeft, { what: 'all answers of the other environment' });
  waiting.hold(live('later'), 0);
  parts.failSafeJournal.onRecord(live('later'));
  await until(isSandboxLeft, { what: 'one that came later' });
  const down = lifecycle.shutdown();
  answer();
  await t.resolves(down);
});

test('an answer that will never be recorded leaves the journal', async (t) => {
  const refusal = new Fault('invalid', { code: 'VALIDATION_ERROR', message: 'No.' });
  const { waiting, parts } = waitingFor(() => Promise.reject(refusal), ['a', 'b']);
  t.equal(await handOver(parts, entry('a'), 100), true);
  t.same(
    waiting.all.map(({ id }) => id),
    ['b'],
  );
});

test('a shutdown waits for what is being handed over, and nothing more is', async (t) => {
  const order: string[] = [];
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let asked = 0;
  const ids = Array.from({ length: 20 }, (_, index) => `e${index}`);
  const { lifecycle, waiting, parts } = waitingFor(async () => {
    asked += 1;
    await answered;
    order.push('recorded');
  }, ids);
  startFailSafeDrainer(parts);
  await until(() => asked === 8, { what: 'the hand-overs' });
  const down = lifecycle.shutdown().then(() => order.push('down'));
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  answer();
  await down;
  t.same(order, [...Array.from({ length: 8 }, () => 'recorded'), 'down']);
  t.equal(waiting.size, 12, 'those are found again at the next start');
});

test('a key finds its first answer, also when a later one is on record', async (t) => {
  const waiting = new WaitingEntries();
  for (const id of ['first', 'second']) waiting.hold(entry(id, 'key'), 0);
  waiting.letGo('second');
  t.equal(waiting.find('key')?.id, 'first');
  waiting.letGo('first');
  t.equal(waiting.find('key'), undefined);
});

import {
  appendFile,
  copyFile,
  mkdtemp,
  open,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { until } from '@countersign/runtime/testing';
import { type Test, test } from 'tap';
import { DurableLines } from './durable-lines.js';
import { FailSafeJournal } from './journal.js';
import type { FailSafeEntry } from './waiting-entries.js';

const log = createLog({ service: 'gateway', level: 'silent' });

async function newPath(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'journal-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return join(folder, 'fail-safe.jsonl');
}

const maxBytes = 1024 * 1024;
const options = () => ({ log, maxBytes, metrics: new Metrics('gateway') });

function openJournal(path: string, limit = maxBytes): Promise<FailSafeJournal> {
  return FailSafeJournal.open({ ...options(), path, maxBytes: limit });
}

function entry(id: string, keyScope: string | null = null): FailSafeEntry {
  return {
    id,
    keyScope,
    environment: 'sandbox',
    requestId: `req_${id}`,
    request: {
      authorizationId: id,
      transactionId: 'txn_1',
      bodyHash: 'hash',
      payment: { amount: '1' },
    },
    answer: `{"authorization_id":"${id}"}`,
    decidedAt: '2026-11-21T09:30:00.000Z',
  };
}

const ids = (journal: FailSafeJournal) => journal.waiting.all.map(({ id }) => id);

/** What a process that started now would find; the file keeps its owner. */
async function idsOnDisk(path: string): Promise<string[]> {
  await copyFile(path, `${path}.copy`);
  const copy = await openJournal(`${path}.copy`);
  await copy.close();
  return ids(copy);
}

test('answers are found again after a crash, in order, until acknowledged', async (t) => {
  const path = await newPath(t);
  const before = await openJournal(path);
  await Promise.all(['a', 'b', 'c'].map((id) => before.record(entry(id, `key ${id}`))));
  await before.remove(entry('b'));
  // Not closed before the next one opens: the process is gone, with what it had in memory.
  t.teardown(() => before.close());
  const after = await openJournal(path);
  t.same(ids(after), ['a', 'c']);
  t.same(after.waiting.oldest(1, 'sandbox'), [entry('a', 'key a')], 'whole, and the oldest first');
  t.equal(after.waiting.find('key c')?.id, 'c');
  t.equal(after.waiting.find('key b'), undefined);
  await after.remove(entry('a'));
  await after.remove(entry('c'));
  t.equal(after.waiting.size, 0);
  await after.close();
  const last = await openJournal(path);
  t.equal(last.waiting.size, 0);
  t.equal((await stat(path)).size, 0, 'nothing is left to weigh');
  await last.close();
});

test('a transaction given here is found until one of its answers is on record', async (t) => {
  const path = await newPath(t);
  const journal = await openJournal(path);
  const threaded = entry('b');
  threaded.request = { ...threaded.request, transactionId: 'txn_2' };
  threaded.request.payment = { amount: '1', transactionId: 'txn_1' };
  await journal.record(entry('a'));
  await journal.record(threaded);
  t.equal(journal.waiting.findTransaction('txn_1')?.id, 'a');
  t.equal(journal.waiting.findTransaction('txn_2'), undefined, 'it threads on another');
  await journal.remove(entry('a'));
  t.equal(journal.waiting.findTransaction('txn_1'), undefined);
  await journal.close();
});

test('a crash before the note of a hand-over means one more, never a loss', async (t) => {
  const path = await newPath(t);
  const journal = await openJournal(path);
  await journal.record(entry('a'));
  const onDisk = await readFile(path);
  await journal.remove(entry('a'));
  await journal.close();
  await writeFile(path, onDisk);
  const again = await openJournal(path);
  t.same(ids(again), ['a']);
  await again.close();
});

test('answers in any script are whole, and so are those that come after them', async (t) => {
  const path = await newPath(t);
  const journal = await openJournal(path);
  const answers = ['a', 'b', 'c'].map((id) => ({
    ...entry(id),
    answer: `{"name":"Łódź 東京 ${id}"}`,
  }));
  for (const each of answers) await journal.record(each);
  await journal.close();
  const again = await openJournal(path);
  t.same(again.waiting.all, answers);
  await again.close();
});

test('a last line that was cut off is dropped, and the next one is whole', async (t) => {
  const path = await newPath(t);
  const journal = await openJournal(path);
  await journal.record(entry('a'));
  const whole = (await stat(path)).size;
  await journal.record(entry('b'));
  await journal.close();
  await truncate(path, whole + 20);
  const torn = await openJournal(path);
  t.same(ids(torn), ['a']);
  await torn.record(entry('c'));
  await torn.close();
  const later = await openJournal(path);
  t.same(ids(later), ['a', 'c']);
  await later.close();
});

test('a line nobody can read costs itself and nothing else', async (t) => {
  const path = await newPath(t);
  const journal = await openJournal(path);
  await journal.record(entry('a'));
  await appendFile(path, 'not json\n{"put":7}\nnull\n');
  await journal.close();
  const again = await openJournal(path);
  t.same(ids(again), ['a']);
  await again.close();
});

test('every id is kept, and a key finds the answer that it was given first', async (t) => {
  const path = await newPath(t);
  const journal = await openJournal(path);
  const same = ['a', 'b', 'c'].map((id) => entry(id, 'the same key'));
  await Promise.all(same.map((each) => journal.record(each)));
  t.same(ids(journal), ['a', 'b', 'c']);
  t.equal(journal.waiting.find('the same key')?.id, 'a');
  await journal.close();
  const again = await openJournal(path);
  t.same(ids(again), ['a', 'b', 'c']);
  t.equal(again.waiting.find('the same key')?.id, 'a', 'after a start as before');
  for (const each of same) await again.remove(each);
  t.equal(again.waiting.find('the same key'), undefined);
  await again.record(entry('d', 'the same key'));
  t.equal(again.waiting.find('the same key')?.id, 'd');
  await again.close();
});

test('the journal is bounded: what does not fit is refused, and fits again later', async (t) => {
  const path = await newPath(t);
  const journal = await openJournal(path, 600);
  await journal.record(entry('a', 'key a'));
  await t.rejects(journal.record(entry('b', `key ${'b'.repeat(600)}`)), /full/);
  t.same(ids(journal), ['a']);
  await journal.remove(entry('a', 'key a'));
  await journal.record(entry('c'));
  t.same(ids(journal), ['c']);
  await journal.close();
});

test('answers that come at the same moment are bounded as well', async (t) => {
  const path = await newPath(t);
  const probe = await openJournal(path);
  await probe.record(entry('0'));
  const { size } = await stat(path);
  await probe.remove(entry('0'));
  await probe.close();
  const journal = await openJournal(path, 3 * size);
  const same = Array.from({ length: 9 }, (_, n) => journal.record(entry(`${n}`)));
  const results = await Promise.allSettled(same);
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 3, 'as many as fit');
  t.equal((await stat(path)).size, 3 * size);
  await Promise.all(journal.waiting.all.map((each) => journal.remove(each)));
  await journal.record(entry('3'));
  t.same(ids(journal), ['3'], 'what was refused takes no room');
  await journal.close();
});

test('clearing away old lines loses none of those that come at the same moment', async (t) => {
  const path = await newPath(t);
  const journal = await openJournal(path);
  for (let round = 0; round < 50; round += 1) {
    const done = entry(`done-${round}`);
    await journal.record(done);
    // The file is emptied by this removal while the next entries are on their way to it.
    await Promise.all([
      journal.remove(done),
      journal.record(entry(`kept-${round}`)),
      journal.record(entry(`also-${round}`)),
    ]);
    t.same((await idsOnDisk(path)).sort(), [`also-${round}`, `kept-${round}`]);
    await Promise.all(journal.waiting.all.map((each) => journal.remove(each)));
  }
  await journal.close();
});

test('old lines are cleared away while an answer waits, too', async (t) => {
  const path = await newPath(t);
  const journal = await openJournal(path, 2 * 1024 * 1024);
  await journal.record(entry('stuck'));
  for (let round = 0; round < 40; round += 1) {
    const done = { ...entry(`done-${round}`), answer: 'x'.repeat(100_000) };
    await journal.record(done);
    await journal.remove(done);
  }
  t.same(await idsOnDisk(path), ['stuck']);
  await journal.close();
});

test('entries that leave do not have all others rendered each time', async (t) => {
  const journal = await openJournal(await newPath(t), 8 * 1024 * 1024);
  let rendered = 0;
  const waiting = Array.from({ length: 40 }, (_, n) => ({
    ...entry(`e${n}`),
    toJSON() {
      rendered += 1;
      return { ...entry(`e${n}`), answer: 'x'.repeat(100_000) };
    },
  }));
  await Promise.all(waiting.map((each) => journal.record(each)));
  t.equal(rendered, 40, 'once, for its line');
  // Of those that leave at the same moment, one compacts the file.
  for (let n = 0; n < 40; n += 8) {
    await Promise.all(waiting.slice(n, n + 8).map((each) => journal.remove(each)));
  }
  t.equal(journal.waiting.size, 0);
  t.ok(rendered < 80, `and once more if half of the file is not needed: ${rendered}`);
  await journal.close();
});

test('an entry that cannot be handed over does not stand in the way of the others', async (t) => {
  const journal = await openJournal(await newPath(t));
  for (const id of ['a', 'b', 'c']) await journal.record(entry(id));
  journal.waiting.defer(entry('a'));
  t.same(ids(journal), ['b', 'c', 'a']);
  await journal.close();
});

test('a full volume has room again once all answers were handed over', async (t) => {
  const path = await newPath(t);
  const journal = await openJournal(path);
  for (const id of ['a', 'b']) await journal.record(entry(id));
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const { restore } = t.intercept(DurableLines.prototype, 'append', {
    value: () => Promise.reject(full),
  });
  await t.rejects(journal.remove(entry('a')), full, 'it will be handed over again');
  await journal.remove(entry('b'));
  t.equal((await stat(path)).size, 0, 'nothing waits, and the file takes no space');
  restore();
  await journal.record(entry('c'));
  await journal.close();
  const again = await openJournal(path);
  t.same(ids(again), ['c']);
  await again.close();
});

test('a line that did not get to disk is found by no later start', async (t) => {
  const path = await newPath(t);
  const journal = await openJournal(path);
  await journal.record(entry('a'));
  const handle = await open(path);
  const broken = new Error('input/output error');
  const { restore } = t.intercept(Object.getPrototypeOf(handle), 'datasync', {
    value: () => Promise.reject(broken),
  });
  await t.rejects(journal.record(entry('b', 'key b')), broken);
  restore();
  await handle.close();
  t.same(await idsOnDisk(path), ['a'], 'the key of b may be answered otherwise');
  await journal.record(entry('c'));
  t.same(await idsOnDisk(path), ['a', 'c']);
  await journal.close();
});

test('a volume that falls silent is given up, and what it writes late is struck out', async (t) => {
  const path = await newPath(t);
  // By one that is patient: a busy machine may take longer than the other waits.
  const before = await openJournal(path);
  await before.record(entry('a'));
  await before.close();
  const journal = await FailSafeJournal.open({ ...options(), path, silentAfterMs: 20 });
  const handle = await open(path);
  let answer: () => void = () => {};
  const answers = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { restore } = t.intercept(Object.getPrototypeOf(handle), 'datasync', {
    value: () => answers,
  });
  await t.rejects(journal.record(entry('b', 'key b')), /does not answer/);
  await t.rejects(journal.record(entry('c')), /does not answer/, 'nor does another queue up');
  t.equal(journal.waiting.find('key b'), undefined, 'its key may be answered otherwise');
  restore();
  answer();
  await until(async () => (await idsOnDisk(path)).join() === 'a', { what: 'b to be struck out' });
  t.notMatch(await readFile(path, 'utf8'), 'req_c', 'it was never written');
  await until(() =>
    journal.record(entry('d')).then(
      () => true,
      () => false,
    ),
  );
  t.same(ids(journal), ['a', 'd']);
  await handle.close();
  await journal.close();
  t.same(await idsOnDisk(path), ['a', 'd']);
});

test('a journal that another gateway has opened takes and spoils nothing more', async (t) => {
  const path = await newPath(t);
  const first = await openJournal(path);
  await first.record(entry('a'));
  const second = await openJournal(path);
  t.same(ids(second), ['a'], 'it has what was answered before');
  await second.record(entry('b'));
  await t.rejects(first.record(entry('c')), /another process has opened .*fail-safe\.jsonl/);
  await t.rejects(first.remove(entry('a')), 'nor does it empty the file');
  t.same(await idsOnDisk(path), ['a', 'b']);
  await first.close();
  await second.record(entry('d'));
  t.same(await idsOnDisk(path), ['a', 'b', 'd']);
  await second.close();
});

test('an answer that may have been written too late to be read is not given', async (t) => {
  const path = await newPath(t);
  const first = await openJournal(path);
  const handle = await open(path);
  let second: FailSafeJournal | undefined;
  const { restore } = t.intercept(Object.getPrototypeOf(handle), 'datasync', {
    value: async () => {
      second ??= await openJournal(path);
    },
  });
  await t.rejects(first.record(entry('a')), /another process/);
  restore();
  await Promise.all([handle.close(), first.close(), second?.close()]);
});

test('a journal whose owner cannot be told any more says what to do', async (t) => {
  const path = await newPath(t);
  const journal = await openJournal(path);
  await rm(`${path}.owner`);
  await t.rejects(journal.record(entry('a')), /fail-safe\.jsonl\.owner was removed; restart/);
  await journal.close();
  const again = await openJournal(path);
  await again.record(entry('a'));
  await again.close();
});

import { answerMarkers } from '@countersign/kernel/answer-marker';
import type { CommitResponse } from '@countersign/proto/ledger';
import { until } from '@countersign/runtime/testing';
import { test } from 'tap';
import { limitCodes, limitMask } from '../limits.js';
import { toFormat } from './answer-format.js';
import { type BatchParts, commitBatch } from './batch.js';
import { answerToFollower, takeBatch } from './duplicates.js';
import { Lane } from './lane.js';
import { outcomeOnly, type Pending } from './pending.js';

interface Waiting {
  id?: string;
  key?: string;
  body?: string;
  principal?: string;
  deadlineAt?: number;
}

const heard: string[] = [];

function pending(name: string, given: Waiting = {}): Pending {
  const { id = name, key, body = 'body', principal = 'prn', deadlineAt = 1_000 } = given;
  return {
    proposal: {
      authorizationId: id,
      principalId: principal,
      idempotencyKey: key ?? null,
      bodyHash: body,
      mandateId: null,
      seen: [],
      epoch: null,
      basis: null,
      thresholds: null,
      row: [],
      texts: {
        facts: '',
        answer: { head: '', middle: '', tail: '' },
        event: null,
        eventFormat: null,
      },
      answerWith: (middle) => `whole ${middle}`,
      topic: 'authorization.recorded',
      intent: null,
    },
    deadlineAt,
    trace: null,
    settle: ({ outcome }) => heard.push(`${name} ${outcome}`),
    fail: (error) => heard.push(`${name} ${(error as { internal?: string }).internal}`),
    followers: [],
  };
}

function answer(outcome: string): CommitResponse {
  return { ...outcomeOnly(outcome), answer: '{}' };
}

function idsOf(batch: readonly Pending[]): string[] {
  return batch.map(({ proposal }) => proposal.authorizationId);
}

function listen(): () => string[] {
  heard.length = 0;
  return () => heard.splice(0);
}

test('markers become format positions, and other text is escaped', (t) => {
  const { dailyCountUsed, monthlyAmountRemaining } = answerMarkers;
  t.equal(
    toFormat(`5 % of %s: ${dailyCountUsed}, ${monthlyAmountRemaining}`),
    '5 %% of %%s: %3$s, %6$s',
  );
  t.equal(toFormat('\ue000Z\ue001'), '\ue000Z\ue001');
  t.end();
});

test('limit codes have the same bits as in the database', (t) => {
  t.equal(limitMask(['MONTHLY_COUNT_EXCEEDED', 'DAILY_AMOUNT_EXCEEDED']), 9);
  t.same(limitCodes(6), ['MONTHLY_AMOUNT_EXCEEDED', 'DAILY_COUNT_EXCEEDED']);
  t.equal(limitMask(['AMOUNT_EXCEEDS_PER_TXN']), null);
  t.end();
});

test('a batch has only the first proposal per id or key, and no expired ones', (t) => {
  const said = listen();
  const waiting = [
    pending('late', { deadlineAt: 5 }),
    pending('a', { key: 'k' }),
    pending('b', { key: 'k' }),
    pending('c', { id: 'a' }),
    pending('d', { key: 'k', principal: 'other' }),
    pending('e', { id: 'b' }),
    pending('f'),
    pending('g'),
  ];
  const { batch, count } = takeBatch(waiting, 3, 10);
  t.same(idsOf(batch), ['a', 'd', 'f']);
  t.equal(count, 7);
  t.same(batch[0]?.followers, [waiting[2], waiting[3], waiting[5]]);
  t.same(said(), ['late the deadline passed in the queue']);
  t.end();
});

test('a proposal of another Principal is no duplicate, whatever it names', (t) => {
  const waiting = [
    pending('a', { key: 'k' }),
    pending('b', { id: 'a', key: 'k', principal: 'other' }),
    pending('c', { id: 'a', principal: 'third' }),
  ];
  const { batch } = takeBatch(waiting, 3, 10);
  t.same(batch, waiting);
  for (const { followers } of batch) t.same(followers, [], 'nobody gets the answer of another');
  t.end();
});

test('a follower gets only recorded answers', (t) => {
  const leader = pending('a', { key: 'k' });
  const same = pending('b', { key: 'k' });
  const other = pending('c', { key: 'k', body: 'other' });
  const recorded = { ...outcomeOnly('recorded'), answerMiddle: 'answer' };
  const followed = answerToFollower(leader, recorded, same);
  t.match(followed, { outcome: 'replayed', answer: 'whole answer', answerMiddle: undefined });
  t.match(answerToFollower(leader, answer('replayed'), other), { outcome: 'key_reused' });
  for (const outcome of ['limits_differ', 'stale', 'key_reused', 'transaction_unknown']) {
    t.equal(answerToFollower(leader, answer(outcome), same), null);
  }
  t.end();
});

test('a lane commits queued proposals together, rejects too many, and becomes idle', async (t) => {
  const said = listen();
  const batches: string[][] = [];
  const release: Array<() => void> = [];
  const lane = new Lane({
    batchLimit: 2,
    queueLimit: 3,
    now: () => 0,
    pace: { begin: async () => {} },
    commit: (batch) => {
      batches.push(idsOf(batch));
      return new Promise((resolve) => release.push(resolve));
    },
  });
  lane.push(pending('a'));
  await until(() => batches.length === 1);
  for (const name of ['b', 'c', 'd', 'e']) lane.push(pending(name));
  t.same(said(), ['e the commit queue is full']);
  t.equal(lane.waiting, 3);
  release[0]?.();
  await until(() => batches.length === 2);
  release[1]?.();
  await until(() => batches.length === 3);
  const idle = lane.idle();
  release[2]?.();
  await idle;
  t.same(batches, [['a'], ['b', 'c'], ['d']]);
  lane.push(pending('f'));
  await until(() => batches.length === 4);
});

test('a follower is not rejected where the queue is full, and goes first', async (t) => {
  const said = listen();
  const batches: string[][] = [];
  const lane = new Lane({
    batchLimit: 2,
    queueLimit: 2,
    now: () => 0,
    pace: { begin: async () => {} },
    commit: async (batch) => {
      batches.push(idsOf(batch));
      if (batches.length > 1) return;
      for (const name of ['b', 'c', 'd']) lane.push(pending(name));
      lane.requeue(pending('follower'));
    },
  });
  lane.push(pending('leader'));
  await lane.idle();
  t.same(said(), ['d the commit queue is full']);
  t.same(batches, [['leader'], ['follower', 'b'], ['c']]);
});

test('a batch starts when the pace allows it, with all proposals queued by then', async (t) => {
  listen();
  const sizes: number[] = [];
  const queueLengths: number[] = [];
  let begin = (): void => {};
  const lane = new Lane({
    batchLimit: 64,
    queueLimit: 64,
    now: () => 0,
    pace: {
      begin: (waiting = () => 0) => {
        queueLengths.push(waiting());
        return new Promise((resolve) => {
          begin = resolve;
        });
      },
    },
    commit: async (batch) => {
      sizes.push(batch.length);
    },
  });
  lane.push(pending('first'));
  await until(() => queueLengths.length === 1);
  lane.push(pending('second'));
  begin();
  await until(() => sizes.length === 1);
  for (let i = 0; i < 40; i += 1) lane.push(pending(`many ${i}`));
  await until(() => queueLengths.length === 2);
  begin();
  await until(() => sizes.length === 2);
  t.same(sizes, [2, 40]);
  t.same(queueLengths, [1, 40], 'the pace gets the number of queued proposals');
});

function partsOf(send: BatchParts['send'], now = () => 0): BatchParts {
  return {
    send,
    now,
    settle: (one, response) => one.settle(response),
    fail: (one, error) => one.fail(error),
    onError: () => {},
  };
}

const recordAll = (batch: readonly Pending[]) => batch.map(() => answer('recorded'));

test('a contended batch is retried, a rejected one is bisected', async (t) => {
  const said = listen();
  const sizes: number[] = [];
  await commitBatch(
    ['a', 'b', 'c', 'bad', 'e'].map((name) => pending(name)),
    partsOf(async (batch) => {
      sizes.push(batch.length);
      if (sizes.length === 1) throw Object.assign(new Error('deadlock'), { code: '40P01' });
      if (idsOf(batch).includes('bad')) throw Object.assign(new Error('bad'), { code: '22021' });
      return recordAll(batch);
    }),
  );
  t.same(sizes, [5, 5, 2, 3, 1, 2, 1, 1]);
  t.same(said().sort(), ['a recorded', 'b recorded', 'bad undefined', 'c recorded', 'e recorded']);
});

test('after a lost connection the batch is retried, then the result is unknown', async (t) => {
  const said = listen();
  const words = ['Connection terminated unexpectedly', 'Query read timeout'];
  const codes = ['ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH'];
  for (const error of [
    ...words.map((text) => new Error(text)),
    ...codes.map((code) => Object.assign(new Error('no'), { code })),
  ]) {
    let sent = 0;
    const lost = async (): Promise<never> => {
      sent += 1;
      throw error;
    };
    await commitBatch([pending('a')], partsOf(lost));
    t.equal(sent, 3);
    t.same(said(), ['a the connection was lost']);
  }
});

test('what was sent before a bisection or another failure stays unknown', async (t) => {
  const said = listen();
  const fails = { lost: 'ECONNRESET', refused: '22021', away: '57P03', busy: '57014' } as const;
  const failing = (...kinds: ReadonlyArray<keyof typeof fails>) => {
    let sent = 0;
    return async (): Promise<never> => {
      const kind = kinds[Math.min(sent, kinds.length - 1)] ?? 'lost';
      sent += 1;
      throw Object.assign(new Error(kind), { code: fails[kind] });
    };
  };
  const both = [pending('a'), pending('b')];
  await commitBatch(both, partsOf(failing('lost', 'refused', 'away')));
  t.same(said(), ['a the connection was lost', 'b the connection was lost']);
  await commitBatch(both, partsOf(failing('refused', 'away')));
  t.same(said(), ['a unreachable', 'b unreachable']);
  await commitBatch([pending('a')], partsOf(failing('lost', 'busy')));
  t.same(said(), ['a the connection was lost']);
});

test('a batch is not bisected if the database is unavailable', async (t) => {
  const said = listen();
  const readOnlyAndFull = ['25006', '53100'];
  const notLetIn = ['28P01', '28000', '3D000', 'CERT_HAS_EXPIRED', '57P04'];
  const short = ['53200', 'EMFILE'];
  for (const code of [...readOnlyAndFull, ...notLetIn, ...short]) {
    const sizes: number[] = [];
    const takesNothing = async (batch: readonly Pending[]): Promise<never> => {
      sizes.push(batch.length);
      throw Object.assign(new Error('no'), { code });
    };
    await commitBatch([pending('a'), pending('b')], partsOf(takesNothing));
    t.same(sizes, [2, 2, 2]);
    t.same(said(), ['a unreachable', 'b unreachable']);
  }
});

test('proposals fail after their deadline', async (t) => {
  const said = listen();
  let now = 0;
  const busy = async (): Promise<never> => {
    now += 600;
    throw Object.assign(new Error('timeout'), { code: '57014' });
  };
  await commitBatch(
    [pending('a'), pending('b', { deadlineAt: 500 })],
    partsOf(busy, () => now),
  );
  t.same(said().sort(), [
    'a the deadline passed between two attempts',
    'b the deadline passed between two attempts',
  ]);
  now = 0;
  const lost = async (): Promise<never> => {
    now += 600;
    throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  };
  await commitBatch(
    [pending('c', { deadlineAt: 500 })],
    partsOf(lost, () => now),
  );
  t.same(said(), ['c the connection was lost'], 'it may have been committed');
});

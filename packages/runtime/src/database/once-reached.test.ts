import { DatabaseError } from 'pg';
import { test } from 'tap';
import { onceReached } from './once-reached.js';

function refusal(code: string): DatabaseError {
  return Object.assign(new DatabaseError('refused', 0, 'error'), { code });
}

test('a server that has no connection left, or ends, is waited for at start', async (t) => {
  const refusals = ['53300', '57P01', '57P03'].map(refusal);
  const ask = async (): Promise<string> => {
    const next = refusals.shift();
    if (next) throw next;
    return 'reached';
  };
  t.equal(await onceReached(ask), 'reached');
});

test('one that refuses for good is not', async (t) => {
  let asked = 0;
  const ask = async (): Promise<void> => {
    asked += 1;
    throw refusal('28P01');
  };
  await t.rejects(onceReached(ask), { code: '28P01' });
  t.equal(asked, 1);
});

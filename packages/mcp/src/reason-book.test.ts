import type { Reason } from '@countersign/sdk';
import { test } from 'tap';
import { ReasonBook } from './reason-book.js';

const code = 'AMOUNT_STEP_UP';
const reason = { code, description: 'Must be confirmed.', retry: 'change_request' } as Reason;
const unexplained = { code, description: 'No explanation is available.', retry: 'after_human' };

test('a reason is told without its explanation where that cannot be fetched', async (t) => {
  let fetches = 0;
  const book = new ReasonBook(async () => {
    fetches += 1;
    if (fetches === 1) throw new Error('unavailable');
    return [reason];
  });
  t.same(await book.explain([code]), [unexplained]);
  const explained = { code, description: 'Must be confirmed.', retry: 'change_request' };
  t.same(await book.explain([code]), [explained], 'and is asked for again');
  const cautious = { ...unexplained, code: 'NEWER_REASON' };
  t.same(await book.explain([code, 'NEWER_REASON']), [explained, cautious]);
  t.equal(fetches, 2);
});

import { test } from 'tap';
import { FrameQueue, type Frames } from './frames.js';

test('frames wait while the transport is full, and leave in their order', async (t) => {
  const written: number[][] = [];
  let isFull = true;
  const queue = new FrameQueue(({ frames }: Frames) => {
    written.push(frames.map(({ id }) => id));
    return !isFull;
  });
  queue.push({ id: 1 });
  queue.flush();
  for (const id of [2, 3]) queue.push({ id });
  queue.flush();
  t.same(written, [[1]]);
  isFull = false;
  queue.resume();
  t.same(written, [[1], [2, 3]]);
});

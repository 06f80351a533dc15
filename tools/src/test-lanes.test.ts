import { test } from 'tap';
import { inLanes } from './test-lanes.js';

/** Runs the files by hand: `end` ends the one that has run longest. */
function byHand(files: readonly string[]) {
  const running: Array<{ file: string; end: () => void }> = [];
  const done = inLanes(files, (file) => new Promise((end) => running.push({ file, end })));
  const turns = () => new Promise((resolve) => setImmediate(resolve));
  return {
    done,
    async now(): Promise<string[]> {
      await turns();
      return running.map(({ file }) => file);
    },
    end: () => running.shift()?.end(),
  };
}

test('two installations at a time, three files once no installation waits', async (t) => {
  const files = ['e2e/a', 'e2e/b', 'e2e/c', 'tools/d', 'tools/e', 'tools/f', 'tools/g'];
  const lanes = byHand(files);
  t.same(await lanes.now(), ['e2e/a', 'e2e/b']);
  lanes.end();
  t.same(await lanes.now(), ['e2e/b', 'e2e/c', 'tools/d']);
  lanes.end();
  t.same(await lanes.now(), ['e2e/c', 'tools/d', 'tools/e']);
  lanes.end();
  t.same(await lanes.now(), ['tools/d', 'tools/e', 'tools/f']);
  for (let ended = 0; ended < 4; ended += 1) {
    lanes.end();
    await lanes.now();
  }
  await lanes.done;
  t.same(await lanes.now(), []);
});

test('there may be fewer files than lanes', async (t) => {
  const lanes = byHand(['tools/a']);
  t.same(await lanes.now(), ['tools/a']);
  lanes.end();
  await t.resolves(lanes.done);
  await t.resolves(inLanes([], () => Promise.reject(new Error('there is none'))));
});

test('what a file throws ends the run', async (t) => {
  const broken = () => Promise.reject(new Error('no process can be started'));
  await t.rejects(inLanes(['tools/a', 'tools/b'], broken), {
    message: 'no process can be started',
  });
});

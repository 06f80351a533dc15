import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'tap';
import { DurableLines } from './durable-lines.js';

test('a line that is being written is not lost to a replacement, or to the end', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'lines-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'lines');
  const { file } = await DurableLines.open(path);
  const lines = [file.append('a'), file.append('b')];
  t.equal(await file.replace([]), false);
  await file.close();
  await Promise.all(lines);
  t.equal(await readFile(path, 'utf8'), 'a\nb\n');
});

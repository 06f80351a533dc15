import { type FileHandle, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Test, test } from 'tap';
import { DurableLines } from './durable-lines.js';

async function newPath(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lines-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return join(folder, 'lines');
}

const permissions = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test('a line that is being written is not lost to a replacement, or to the end', async (t) => {
  const path = await newPath(t);
  const { file } = await DurableLines.open(path);
  const lines = [file.append('a'), file.append('b')];
  t.equal(await file.replace(() => []), false);
  await file.close();
  await Promise.all(lines);
  t.equal(await readFile(path, 'utf8'), 'a\nb\n');
});

test('lines that come together go to disk together, each when it is there', async (t) => {
  const path = await newPath(t);
  const { file } = await DurableLines.open(path);
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 100 }, (_, n) => file.append(`line ${n}`).then(() => order.push(n))),
  );
  t.same(
    order,
    [...order].sort((a, b) => a - b),
  );
  await file.close();
  const { file: again, lines } = await DurableLines.open(path);
  t.equal(lines.length, 100);
  t.equal(lines[99], 'line 99');
  await again.close();
});

test('a file that is opened or replaced is on disk, and so is its folder', async (t) => {
  const path = await newPath(t);
  const handle = await open(dirname(path));
  const synced: string[] = [];
  const { restore } = t.intercept(Object.getPrototypeOf(handle), 'sync', {
    async value(this: FileHandle) {
      const { ino } = await this.stat();
      const names = [path, `${path}.next`, dirname(path)];
      const places = await Promise.all(names.map((name) => stat(name).catch(() => null)));
      synced.push(['file', 'next', 'folder'][places.findIndex((it) => it?.ino === ino)] ?? '');
    },
  });
  const { file } = await DurableLines.open(path);
  t.same(synced.splice(0), ['file', 'folder']);
  t.equal(await permissions(path), '600', 'for the gateway alone');
  await file.append('line');
  await file.replace(() => ['another']);
  t.equal(await permissions(path), '600');
  t.same(synced, ['next', 'folder'], 'the content before it takes the place of the former');
  restore();
  await handle.close();
  await file.close();
});

test('a file that could not be replaced leaves no part of the next one behind', async (t) => {
  const path = await newPath(t);
  await writeFile(`${path}.next`, 'of a process that was killed');
  const { file } = await DurableLines.open(path);
  await t.rejects(stat(`${path}.next`), { code: 'ENOENT' });
  await file.append('kept');
  const handle = await open(path);
  const full = new Error('no space left on device');
  const { restore } = t.intercept(Object.getPrototypeOf(handle), 'sync', {
    value: () => Promise.reject(full),
  });
  await t.rejects(file.replace(() => ['x']), full);
  restore();
  await handle.close();
  await t.rejects(stat(`${path}.next`), { code: 'ENOENT' });
  await file.append('and more');
  await file.close();
  t.equal(await readFile(path, 'utf8'), 'kept\nand more\n');
});

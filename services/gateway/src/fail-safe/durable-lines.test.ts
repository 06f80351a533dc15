import {
  type FileHandle,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Test, test } from 'tap';
import { DurableLines } from './durable-lines.js';
import { SoleOwner } from './sole-owner.js';

async function newPath(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lines-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return join(folder, 'lines');
}

/** The files that are to take the place of this one. */
async function nextOf(path: string): Promise<string[]> {
  const names = await readdir(dirname(path));
  return names.map((name) => join(dirname(path), name)).filter((it) => it.includes('lines.next'));
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
      const names = [path, dirname(path), ...(await nextOf(path))];
      const places = await Promise.all(names.map((name) => stat(name)));
      synced.push(['file', 'folder', 'next'][places.findIndex((it) => it.ino === ino)] ?? '');
    },
  });
  const { file } = await DurableLines.open(path);
  t.same(synced.splice(0), ['file', 'folder', 'next', 'folder']);
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
  await writeFile(`${path}.next.one`, 'of a process that was killed');
  const { file } = await DurableLines.open(path);
  t.same(await nextOf(path), []);
  await file.append('kept');
  const handle = await open(path);
  const full = new Error('no space left on device');
  const { restore } = t.intercept(Object.getPrototypeOf(handle), 'sync', {
    value: () => Promise.reject(full),
  });
  await t.rejects(
    file.replace(() => ['x']),
    full,
  );
  restore();
  await handle.close();
  t.same(await nextOf(path), []);
  await file.append('and more');
  await file.close();
  t.equal(await readFile(path, 'utf8'), 'kept\nand more\n');
});

test('an earlier owner that is replacing the file loses no line of the later one', async (t) => {
  const handle = await open(tmpdir());
  const fileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const moments = [
    { of: SoleOwner.prototype, call: 'check' },
    { of: fileHandle, call: 'sync' },
  ];
  for (const { of, call } of moments) {
    const path = await newPath(t);
    const { file: earlier } = await DurableLines.open(path);
    await earlier.append('a');
    let later: DurableLines | undefined;
    const original = of[call];
    const { restore } = t.intercept(of, call, {
      async value(this: unknown) {
        await original.call(this);
        restore();
        later = (await DurableLines.open(path)).file;
        await later.append('b');
      },
    });
    await t.rejects(
      earlier.replace(() => ['a']),
      { code: 'ENOENT' },
      `overtaken at its ${call}`,
    );
    await later?.append('c');
    t.equal(await readFile(path, 'utf8'), 'a\nb\nc\n');
    await Promise.all([earlier.close(), later?.close()]);
  }
});

test('what an earlier owner writes late does not overwrite a line of the later one', async (t) => {
  const path = await newPath(t);
  const { file: earlier } = await DurableLines.open(path);
  await earlier.append('a');
  let later: DurableLines | undefined;
  const { check } = SoleOwner.prototype;
  const { restore } = t.intercept(SoleOwner.prototype, 'check', {
    async value(this: SoleOwner) {
      await check.call(this);
      restore();
      later = (await DurableLines.open(path)).file;
      await later.append('b');
    },
  });
  await t.rejects(earlier.append('x'), /another process/);
  t.equal(await readFile(path, 'utf8'), 'a\nb\n');
  await Promise.all([earlier.close(), later?.close()]);
});

test('a file on a full volume is read, and its next line follows the last whole one', async (t) => {
  const path = await newPath(t);
  await writeFile(path, 'a\nb\na line that a crash cut off');
  const handle = await open(path);
  const { restore } = t.intercept(Object.getPrototypeOf(handle), 'writeFile', {
    value: () => Promise.reject(new Error('no space left on device')),
  });
  const { file, lines } = await DurableLines.open(path);
  restore();
  await handle.close();
  t.same(lines, ['a', 'b']);
  t.same(await nextOf(path), []);
  await file.append('c');
  await file.close();
  const again = await DurableLines.open(path);
  t.same(again.lines, ['a', 'b', 'c']);
  await again.file.close();
});

test('an earlier owner does not move what the later one is writing', async (t) => {
  const path = await newPath(t);
  const { file: earlier } = await DurableLines.open(path);
  await earlier.append('a');
  const handle = await open(path);
  const fileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const { sync } = fileHandle;
  let later: DurableLines | undefined;
  let replaced: Promise<boolean> | undefined;
  let goOn = (): void => {};
  const { restore } = t.intercept(fileHandle, 'sync', {
    async value(this: FileHandle) {
      restore();
      later = (await DurableLines.open(path)).file;
      await new Promise<void>((isWriting) => {
        const again = t.intercept(fileHandle, 'sync', {
          async value(this: FileHandle) {
            again.restore();
            isWriting();
            await new Promise<void>((resolve) => {
              goOn = resolve;
            });
            await sync.call(this);
          },
        });
        replaced = later?.replace(() => ['a', 'b']);
      });
    },
  });
  await t.rejects(
    earlier.replace(() => ['a']),
    { code: 'ENOENT' },
  );
  goOn();
  t.equal(await replaced, true);
  t.equal(await readFile(path, 'utf8'), 'a\nb\n');
  await Promise.all([earlier.close(), later?.close()]);
});

import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SoleOwner } from './sole-owner.js';

interface Write {
  text: string;
  written: () => void;
  resolve: () => void;
  reject: (error: unknown) => void;
}

const newline = 0x0a;

/**
 * A file of text lines that survive a crash once `append` has resolved. Lines that queue during a
 * write go to disk together, with one fsync. A file belongs to the process that opened it last;
 * what an earlier one appends is refused, since neither would know of the lines of the other.
 */
export class DurableLines {
  readonly #path: string;
  /** Where its next content is written; no other process writes or moves a file of this name. */
  readonly #next: string;
  readonly #owner: SoleOwner;
  #file: FileHandle;
  #size: number;
  /** Bytes that `append` took and that are neither on disk nor given up yet. */
  #pending = 0;
  readonly #queue: Write[] = [];
  #working: Promise<void> | null = null;

  /** The whole lines that are in the file; one that a crash cut off is dropped. */
  static async open(path: string): Promise<{ file: DurableLines; lines: string[] }> {
    await mkdir(dirname(path), { recursive: true });
    // Before the lines are read: an earlier owner adds none that are not read here.
    const owner = await SoleOwner.claim(path);
    await removeNext(path);
    const created = await open(path, 'a', 0o600);
    await created.close();
    const file = await open(path, 'r+');
    const bytes = await file.readFile();
    const size = bytes.lastIndexOf(newline) + 1;
    await file.sync();
    await syncFolder(path);
    const lines = bytes.subarray(0, size).toString().split('\n').slice(0, -1);
    const opened = new DurableLines(owner, file, size);
    // Into a file of its own: an earlier owner that was held up still writes to the former one, or
    // cuts it off. A full volume has no room for that, and then the former one serves as it is.
    await opened.replace(() => lines).catch(() => {});
    return { file: opened, lines };
  }

  private constructor(owner: SoleOwner, file: FileHandle, size: number) {
    this.#path = owner.path;
    this.#next = `${owner.path}.next.${randomUUID()}`;
    this.#owner = owner;
    this.#file = file;
    this.#size = size;
  }

  /** Bytes on disk and on their way there. */
  get size(): number {
    return this.#size + this.#pending;
  }

  /**
   * Resolves when the line is on disk. `written` is called at that moment, before anything else can
   * happen to the file: a `replace` that comes next already knows of the line.
   */
  append(line: string, written: () => void = () => {}): Promise<void> {
    const text = `${line}\n`;
    this.#pending += Buffer.byteLength(text);
    return new Promise((resolve, reject) => {
      this.#queue.push({ text, written, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  /**
   * Replaces the file atomically by one with these lines; false while a write is in progress. Then
   * they are not even asked for, since there may be many.
   */
  async replace(lines: () => readonly string[]): Promise<boolean> {
    if (this.#working !== null) return false;
    const replaced = this.#replace(lines());
    // Its failure is the caller's to hear, below; what waits to be written goes on either way.
    this.#working = replaced.catch(() => {}).then(() => this.#work());
    await replaced;
    return true;
  }

  async close(): Promise<void> {
    while (this.#working !== null) await this.#working;
    await this.#file.close();
    await this.#owner.close();
  }

  async #work(): Promise<void> {
    // The first write of a burst waits for the others of the same tick.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0);
      const bytes = Buffer.from(batch.map(({ text }) => text).join(''));
      try {
        await this.#write(bytes);
        this.#size += bytes.length;
        for (const { written } of batch) written();
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      } finally {
        this.#pending -= bytes.length;
      }
    }
    this.#working = null;
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#owner.check();
    try {
      let done = 0;
      while (done < bytes.length) {
        const rest = bytes.length - done;
        done += (await this.#file.write(bytes, done, rest, this.#size + done)).bytesWritten;
      }
      await this.#file.datasync();
    } catch (error) {
      // Half a line must not run into the next one. Where even that fails, the next write still
      // begins at the same place and overwrites it.
      await this.#file.truncate(this.#size).catch(() => {});
      throw error;
    }
    // Again, since another process may have read the file before these bytes were in it.
    await this.#owner.check();
  }

  async #replace(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    // Made before the check: whoever claims the file after it removes this one before reading, and
    // then it cannot be renamed any more, or reads what it became.
    const next = await open(this.#next, 'w+', 0o600);
    try {
      await this.#owner.check();
      await next.writeFile(bytes);
      await next.sync();
      await rename(this.#next, this.#path);
    } catch (error) {
      await next.close();
      // On a full volume the part that was written would keep its last bytes from everybody. Where
      // this fails too, the next attempt writes over it; the caller hears of the first failure.
      await rm(this.#next, { force: true }).catch(() => {});
      throw error;
    }
    const old = this.#file;
    this.#file = next;
    this.#size = bytes.length;
    await old.close();
    await syncFolder(this.#path);
  }
}

/** Removes what earlier owners were about to put in the place of the file. */
async function removeNext(path: string): Promise<void> {
  const folder = dirname(path);
  const own = `${basename(path)}.next`;
  for (const name of await readdir(folder)) {
    if (name.startsWith(own)) await rm(join(folder, name), { force: true });
  }
}

/** A file that was made or renamed is only there after a crash when its folder is on disk too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

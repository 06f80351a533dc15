import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';

/**
 * Tells a process whether its file is still its own: whoever opened it last owns it. A lock would
 * outlive a killed process, and process ids mean nothing to containers that share a volume. So the
 * owner is whoever made the empty file beside it; made without content, it fits on a full volume.
 */
export class SoleOwner {
  /** The file that is owned. */
  readonly path: string;
  readonly #mark: FileHandle;
  readonly #inode: bigint;

  /** From here on every earlier owner of the file finds that it is one no longer. */
  static async claim(path: string): Promise<SoleOwner> {
    const own = `${path}.${randomUUID()}`;
    const mark = await open(own, 'wx', 0o600);
    await rename(own, `${path}.owner`);
    // Held open, so that no later file gets the same inode.
    const { ino } = await mark.stat({ bigint: true });
    return new SoleOwner(path, mark, ino);
  }

  private constructor(path: string, mark: FileHandle, inode: bigint) {
    this.path = path;
    this.#mark = mark;
    this.#inode = inode;
  }

  async check(): Promise<void> {
    const owner = `${this.path}.owner`;
    const found = await stat(owner, { bigint: true }).catch((error: { code?: string }) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (found?.ino === this.#inode) return;
    if (!found) throw new Error(`${owner} was removed; restart the process that has ${this.path}`);
    throw new Error(`another process has opened ${this.path}; each needs a file of its own`);
  }

  close(): Promise<void> {
    return this.#mark.close();
  }
}

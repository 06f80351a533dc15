import type { Fault } from '@countersign/kernel/fault';
import { violatedIndex } from './db.js';

interface Creation<T> {
  /** The object of this id, or null. Throws where the id is somebody else's. */
  find: () => Promise<T | null>;
  create: () => Promise<T>;
  /** What it means that another object stands in the way, by the index that said so. */
  refuse: (index: string) => Fault | Error;
}

/** Creates by the id that the edge minted: a repeat of the call answers what the first one made. */
export async function createOnce<T>({ find, create, refuse }: Creation<T>): Promise<T> {
  const existing = await find();
  if (existing !== null) return existing;
  try {
    return await create();
  } catch (error) {
    const index = violatedIndex(error);
    if (index === null) throw error;
    // A repeat that ran at the same time may have been the faster one.
    const raced = await find();
    if (raced !== null) return raced;
    throw refuse(index);
  }
}

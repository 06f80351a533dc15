import type { Fault } from '@countersign/kernel/fault';
import { violatedIndex } from './db.js';

interface Creation<T> {
  /** The entity with this id, or null. Throws if it belongs to another owner. */
  find: () => Promise<T | null>;
  create: () => Promise<T>;
  /** The refusal for a unique violation on this index. */
  refuse: (index: string) => Fault | Error;
}

/**
 * Idempotent creation: the gateway generates the id, so a repeated call finds and returns what the
 * first one created.
 */
export async function createOnce<T>({ find, create, refuse }: Creation<T>): Promise<T> {
  const existing = await find();
  if (existing !== null) return existing;
  try {
    return await create();
  } catch (error) {
    const index = violatedIndex(error);
    if (index === null) throw error;
    // A concurrent repeat of the same call may have inserted the entity first.
    const raced = await find();
    if (raced !== null) return raced;
    throw refuse(index);
  }
}

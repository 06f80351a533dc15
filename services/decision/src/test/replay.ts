import { evaluate } from '../evaluate.js';
import { readRecord, type StoredTexts } from '../record/read-record.js';
import type { Verdict } from '../verdict.js';

/** Evaluates a record again: a verdict other than the recorded one means it was tampered with. */
export function replay(kept: StoredTexts): Verdict | null {
  const record = readRecord(kept);
  return record ? evaluate(record.facts) : null;
}

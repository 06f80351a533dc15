import type { TraceRow } from './baseline.js';
import type { PackedTrace } from './packed-trace.js';

type Listed = [version: number, approved: 0 | 1, at: number, name: number, ...PackedTrace];

/** Parses the rows as the read statement (`sql.ts`) concatenates them. */
export function readTraces(text: string | null): TraceRow[] {
  if (text === null) return [];
  const lists = JSON.parse(`[[${text}]]`) as Listed[];
  return lists.map(([version, approved, at, name, ...packed]) => ({
    version,
    approved: approved === 1,
    at,
    name,
    packed: packed as PackedTrace,
  }));
}

/**
 * Without brackets, because the read statement puts a row's columns before it in the same list.
 */
export function traceText(packed: PackedTrace): string {
  return JSON.stringify(packed).slice(1, -1);
}

export function traceOfText(text: string): PackedTrace {
  return JSON.parse(`[${text}]`) as PackedTrace;
}

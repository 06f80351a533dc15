import type { TraceRow } from './baseline.js';
import type { PackedTrace } from './packed-trace.js';

type Listed = [version: number, approved: 0 | 1, at: number, name: number, ...PackedTrace];

/** As the database lists them: see `knownSql`. */
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

/** A row is listed together with its columns, so the brackets are left to whoever reads. */
export function traceText(packed: PackedTrace): string {
  return JSON.stringify(packed).slice(1, -1);
}

export function traceOfText(text: string): PackedTrace {
  return JSON.parse(`[${text}]`) as PackedTrace;
}

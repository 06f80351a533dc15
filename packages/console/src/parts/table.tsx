import type { ComponentChildren } from 'preact';

export interface Column<T> {
  head: string;
  cell: (row: T) => ComponentChildren;
  /** Right-aligned, for numbers. */
  figures?: boolean;
}

interface TableProps<T> {
  /** Describes the table for screen readers. */
  caption: string;
  rows: readonly T[];
  keyOf: (row: T) => string;
  columns: ReadonlyArray<Column<T>>;
  /** Text shown if there are no rows. */
  empty: string;
}

export function Table<T>({ caption, rows, keyOf, columns, empty }: TableProps<T>) {
  if (rows.length === 0) return <p class="quiet">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is too wide scrolls by keyboard too.
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, figures }) => (
              <th key={head} scope="col" class={figures ? 'figure' : ''}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ head, cell, figures }) => (
                <td key={head} class={figures ? 'figure' : ''} data-head={head}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface PagerProps {
  /** Absent on the first page. */
  newest: string | null;
  /** Absent on the last page. */
  older: string | null;
}

/** Cursors only lead forward; to go back use the browser's history or start again. */
export function Pager({ newest, older }: PagerProps) {
  if (!newest && !older) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {newest && <a href={newest}>Newest</a>}
      {older ? <a href={older}>Older</a> : <span class="quiet">No older entries</span>}
    </nav>
  );
}

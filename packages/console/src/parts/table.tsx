import type { ComponentChildren } from 'preact';

export interface Column<T> {
  head: string;
  cell: (row: T) => ComponentChildren;
  /** Figures are set right, one under the other. */
  figures?: boolean;
}

interface TableProps<T> {
  /** For who does not see where the table stands. */
  caption: string;
  rows: readonly T[];
  keyOf: (row: T) => string;
  columns: ReadonlyArray<Column<T>>;
  /** Where there are no rows. */
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
                <td key={head} class={figures ? 'figure' : ''}>
                  {cell(row)}
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
  /** Absent on the last. */
  older: string | null;
}

/** A cursor leads on; the way back is that of the browser, or to the beginning. */
export function Pager({ newest, older }: PagerProps) {
  if (!newest && !older) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {newest && <a href={newest}>Newest</a>}
      {older ? <a href={older}>Older</a> : <span class="quiet">No older ones</span>}
    </nav>
  );
}

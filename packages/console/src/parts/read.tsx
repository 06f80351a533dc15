import type { ComponentChildren } from 'preact';
import type { Problem } from '../api/problem.js';
import type { Page } from '../api/shapes.js';
import { Loaded, useResource } from './resource.js';
import { Screen, useDesk } from './screen.js';
import { type Column, Pager, Table } from './table.js';

interface ReadProps<T> {
  /** Path of the API, without its version prefix. */
  path: string;
  /** Title to show while loading or failed, if the whole screen depends on this resource. */
  screen?: string;
  /** What a refusal means that is no fault here; null for any other problem. */
  absent?: (problem: Problem) => string | null;
  children: (value: T, reload: () => void) => ComponentChildren;
}

/** Loads a path of the API and renders it, or the reason why it cannot be shown. */
export function Read<T>({ path, screen, absent, children }: ReadProps<T>) {
  const { api } = useDesk();
  const [resource, reload] = useResource(path, (signal) => api.get<T>(path, signal));
  const meaning = resource.state === 'failed' ? absent?.(resource.problem) : null;
  if (meaning) return <p class="quiet">{meaning}</p>;
  const loaded = (
    <Loaded of={resource} onAgain={reload}>
      {(value) => children(value, reload)}
    </Loaded>
  );
  return screen && resource.state !== 'done' ? <Screen title={screen}>{loaded}</Screen> : loaded;
}

interface PagedProps<T> {
  path: string;
  query?: Record<string, string | undefined>;
  /** Cursor of the current page; absent for the first. */
  cursor?: string | undefined;
  /** The console's address for the page with a cursor, or for the first without. */
  addressOf?: (cursor?: string) => string;
  children: (rows: readonly T[], reload: () => void) => ComponentChildren;
}

/** One page of a paginated list, newest first, and the way to the others. */
export function Paged<T>({ path, query = {}, cursor, addressOf, children }: PagedProps<T>) {
  const given = Object.entries({ ...query, cursor }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return (
    <Read<Page<T>> path={`${path}?${new URLSearchParams(given)}`}>
      {({ data, pagination: { next_cursor: next } }, reload) => (
        <>
          {children(data, reload)}
          {addressOf && (
            <Pager newest={cursor ? addressOf() : null} older={next && addressOf(next)} />
          )}
        </>
      )}
    </Read>
  );
}

interface ListingProps<T> extends Omit<PagedProps<T>, 'children'> {
  caption: string;
  empty: string;
  keyOf: (row: T) => string;
  columns: (reload: () => void) => ReadonlyArray<Column<T>>;
}

/** Of the whole list, an empty page behind the first says nothing: others may have entries. */
const nothingHere = 'There is nothing on this page any more.';

/** The same as a table. */
export function Listing<T>({ caption, empty, keyOf, columns, ...paged }: ListingProps<T>) {
  return (
    <Paged<T> {...paged}>
      {(rows, reload) => (
        <Table
          caption={caption}
          rows={rows}
          keyOf={keyOf}
          columns={columns(reload)}
          empty={paged.cursor === undefined ? empty : nothingHere}
        />
      )}
    </Paged>
  );
}

import type { ComponentChildren } from 'preact';
import type { Page } from '../api/shapes.js';
import { Loaded, useResource } from './resource.js';
import { Screen, useDesk } from './screen.js';
import { type Column, Pager, Table } from './table.js';

interface ReadProps<T> {
  /** Of the API, below its version. */
  path: string;
  /** Where a whole screen is made of it: the title of the screen while there is nothing else. */
  screen?: string;
  children: (value: T, reload: () => void) => ComponentChildren;
}

/** What stands at a path of the API, or why it cannot be shown. */
export function Read<T>({ path, screen, children }: ReadProps<T>) {
  const { api } = useDesk();
  const [resource, reload] = useResource(path, (signal) => api.get<T>(path, signal));
  const loaded = <Loaded of={resource}>{(value) => children(value, reload)}</Loaded>;
  return screen && resource.state !== 'done' ? <Screen title={screen}>{loaded}</Screen> : loaded;
}

interface ListingProps<T> {
  path: string;
  query?: Record<string, string | undefined>;
  /** Of the page that is shown; none for the first. */
  cursor?: string | undefined;
  /** Where the console shows the page with a cursor, or the first without. */
  addressOf?: (cursor?: string) => string;
  caption: string;
  empty: string;
  keyOf: (row: T) => string;
  columns: (reload: () => void) => ReadonlyArray<Column<T>>;
}

/** A page of a list that goes on, newest first. */
export function Listing<T>({
  path,
  query = {},
  cursor,
  addressOf,
  columns,
  ...table
}: ListingProps<T>) {
  const given = Object.entries({ ...query, cursor }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return (
    <Read<Page<T>> path={`${path}?${new URLSearchParams(given)}`}>
      {({ data, pagination: { next_cursor: next } }, reload) => (
        <>
          <Table {...table} rows={data} columns={columns(reload)} />
          {addressOf && (
            <Pager newest={cursor ? addressOf() : null} older={next && addressOf(next)} />
          )}
        </>
      )}
    </Read>
  );
}

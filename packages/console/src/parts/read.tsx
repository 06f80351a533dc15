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
  const loaded = <Loaded of={resource}>{(value) => children(value, reload)}</Loaded>;
  return screen && resource.state !== 'done' ? <Screen title={screen}>{loaded}</Screen> : loaded;
}

interface ListingProps<T> {
  path: string;
  query?: Record<string, string | undefined>;
  /** Cursor of the current page; absent for the first. */
  cursor?: string | undefined;
  /** The console's address for the page with a cursor, or for the first without. */
  addressOf?: (cursor?: string) => string;
  caption: string;
  empty: string;
  keyOf: (row: T) => string;
  columns: (reload: () => void) => ReadonlyArray<Column<T>>;
}

/** One page of a paginated list, newest first. */
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

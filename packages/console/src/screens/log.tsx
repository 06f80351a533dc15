import { useState } from 'preact/hooks';
import type { Entry } from '../api/shapes.js';
import { dayAt, startOfDay } from '../day.js';
import { Field } from '../parts/field.js';
import { Filter, type Query } from '../parts/filter.js';
import { Listing } from '../parts/read.js';
import { Screen } from '../parts/screen.js';
import type { Column } from '../parts/table.js';
import { Id } from '../parts/values.js';
import { hrefOf } from '../route.js';
import { decisionColumns, idColumn } from './decisions.js';

const columns: ReadonlyArray<Column<Entry>> = [
  ...decisionColumns,
  { head: 'Agent', cell: ({ agent_id: id }) => <Id id={id} /> },
  idColumn,
];

/** The decisions of all agents: of some days, those not approved, or those of an order. */
export function LogScreen({ query }: { query: Query }) {
  const { cursor, ...asked } = query;
  return (
    <Screen title="Decisions">
      {asked.client_reference === undefined && (
        <Filter screen="log" name="first_decision" words={['DECLINE', 'STEP_UP']} query={asked} />
      )}
      <Search key={hrefOf('log', '', asked)} asked={asked} />
      <Listing<Entry>
        path="/authorize/log"
        query={{ limit: '25', ...asked }}
        cursor={cursor}
        addressOf={(next) => hrefOf('log', '', { ...asked, cursor: next })}
        caption="Decisions of all agents, newest first"
        keyOf={({ id }) => id}
        columns={() => columns}
        empty="There are no such decisions."
      />
    </Screen>
  );
}

/** Whole days of the reader's zone, the last one included, and the reference of an order. */
function Search({ asked }: { asked: Query }) {
  const [first, setFirst] = useState(dayAt(asked.from));
  const [last, setLast] = useState(dayAt(asked.until, 1));
  const [reference, setReference] = useState(asked.client_reference ?? '');
  const search = (event: Event) => {
    event.preventDefault();
    location.hash = hrefOf('log', '', {
      from: startOfDay(first),
      until: startOfDay(last, 1),
      client_reference: reference.trim(),
      // The API finds a reference among all decisions.
      first_decision: reference.trim() === '' ? asked.first_decision : undefined,
    });
  };
  return (
    <form class="search" onSubmit={search}>
      <Field id="log-first" label="From" kind="day" value={first} onInput={setFirst} />
      <Field id="log-last" label="To" kind="day" value={last} onInput={setLast} />
      <Field
        id="log-reference"
        label="Client reference"
        value={reference}
        onInput={setReference}
        maxLength={128}
      />
      <button type="submit">Search</button>
    </form>
  );
}

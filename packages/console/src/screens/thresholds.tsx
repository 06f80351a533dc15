import { useState } from 'preact/hooks';
import type { Api } from '../api/client.js';
import type { Thresholds } from '../api/threshold-shapes.js';
import { Actions } from '../parts/actions.js';
import { type Question, useQuestion } from '../parts/ask.js';
import { Read } from '../parts/read.js';
import { type Resource, useResource } from '../parts/resource.js';
import { Screen, useDesk } from '../parts/screen.js';
import { type Column, Table } from '../parts/table.js';
import { changesText, type ThresholdChange, thresholdChanges } from '../threshold-changes.js';
import { type ApiDocument, meaningOf } from './threshold-meanings.js';
import { ThresholdPreview } from './threshold-preview.js';

const path = '/thresholds';

/** The effective thresholds, which of them were set, and a form to change them. */
export function ThresholdsScreen() {
  return (
    <Screen title="Thresholds">
      <p class="quiet">
        They apply to all agents of this Principal as soon as they are saved, and decide whether
        payments are approved, declined or shown to a human.
      </p>
      <Read<Thresholds> path={path}>
        {(set, reload) => <Form key={JSON.stringify(set.overrides)} set={set} onChanged={reload} />}
      </Read>
    </Screen>
  );
}

interface FormProps {
  set: Thresholds;
  onChanged: () => void;
}

function Form({ set, onChanged }: FormProps) {
  const { api } = useDesk();
  const [document] = useResource('/openapi.json', (signal) =>
    api.get<ApiDocument>('/openapi.json', signal),
  );
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [open, ask] = useQuestion(onChanged);
  const changes = thresholdChanges(typed, set);
  const save = (event: Event) => {
    event.preventDefault();
    ask(changeQuestion(api, changes));
  };
  const keep = (field: string, text: string) => setTyped((last) => ({ ...last, [field]: text }));
  return (
    <>
      <form onSubmit={save}>
        <Table
          caption="Thresholds; an empty field means the default"
          rows={Object.keys(set.platform_defaults)}
          keyOf={(field) => field}
          columns={[...columnsOf(set, typed, keep), meaning(document)]}
          empty=""
        />
        <Actions scope="thresholds">
          <button type="submit" class="main" disabled={changes.length === 0}>
            Change…
          </button>
          <button
            type="button"
            disabled={Object.keys(set.overrides).length === 0}
            onClick={() => ask(resetQuestion(api))}
          >
            Reset all…
          </button>
        </Actions>
      </form>
      {changes.length > 0 && <ThresholdPreview changes={changes} />}
      {open}
    </>
  );
}

function changeQuestion(api: Api, changes: readonly ThresholdChange[]): Question {
  return {
    title: `Change ${changes.length === 1 ? 'a threshold' : `${changes.length} thresholds`}?`,
    consequence: <Changes changes={changes} />,
    action: 'Change',
    dangerous: true,
    perform: () => api.send('PUT', path, changesText(changes)),
  };
}

function resetQuestion(api: Api): Question {
  return {
    title: 'Reset all thresholds?',
    consequence: <p>Every threshold is reset to the default of the platform immediately.</p>,
    action: 'Reset thresholds',
    dangerous: true,
    perform: () => api.send('DELETE', path),
  };
}

/** Descriptions from the API documentation; without them the values are still shown. */
function meaning(document: Resource<ApiDocument>): Column<string> {
  const known = document.state === 'done' ? document.value : null;
  return { head: 'Meaning', cell: (field) => meaningOf(field, known) };
}

function columnsOf(
  set: Thresholds,
  typed: Record<string, string>,
  keep: (field: string, text: string) => void,
): ReadonlyArray<Column<string>> {
  return [
    { head: 'Threshold', cell: (field) => <code>{field}</code> },
    { head: 'Now', cell: (field) => set.thresholds[field] ?? 'none', figures: true },
    { head: 'Default', cell: (field) => set.platform_defaults[field] ?? 'none', figures: true },
    {
      head: 'Set here',
      cell: (field) => (
        <input
          class="figure-input"
          inputMode="decimal"
          autocomplete="off"
          aria-label={field}
          placeholder="default"
          value={typed[field] ?? set.overrides[field] ?? ''}
          onInput={(event) => keep(field, event.currentTarget.value)}
        />
      ),
    },
  ];
}

function Changes({ changes }: { changes: readonly ThresholdChange[] }) {
  return (
    <>
      <p>They apply to every payment from now on:</p>
      <ul>
        {changes.map(({ field, from, to }) => (
          <li key={field}>
            <code>{field}</code>: {from ?? 'default'} → <strong>{to ?? 'default'}</strong>
          </li>
        ))}
      </ul>
    </>
  );
}

import { useState } from 'preact/hooks';
import type { AgentPage } from '../api/shapes.js';
import type { PreviewedDecision, ThresholdsPreview } from '../api/threshold-shapes.js';
import { unhidden } from '../foreign-text.js';
import { Badge } from '../parts/badge.js';
import { Read } from '../parts/read.js';
import { Loaded, useResource } from '../parts/resource.js';
import { useDesk } from '../parts/screen.js';
import { type Column, Table } from '../parts/table.js';
import { Id, Moment, Money } from '../parts/values.js';
import { changesText, type ThresholdChange } from '../threshold-changes.js';
import { Codes } from './decisions.js';

const verdicts = ['APPROVE', 'STEP_UP', 'DECLINE'] as const;

/** What the changes would have made of an agent's last decisions, before they are saved. */
export function ThresholdPreview({ changes }: { changes: readonly ThresholdChange[] }) {
  const [agentId, setAgentId] = useState('');
  const body = changesText(changes);
  return (
    <section aria-label="Preview">
      <h2>Preview</h2>
      <p class="quiet">
        Evaluates the last decisions about an agent once more, with the present thresholds and with
        these changes. Nothing is saved.
      </p>
      <Read<AgentPage> path="/agents?page_size=100">
        {({ agents, total }) => (
          <label>
            Agent{' '}
            <select value={agentId} onInput={(event) => setAgentId(event.currentTarget.value)}>
              <option value="">choose one</option>
              {agents.map(({ id, display_name: name }) => (
                <option key={id} value={id}>
                  {unhidden(name)}
                </option>
              ))}
            </select>
            {Number(total) > agents.length && ` of the newest ${agents.length}; there are ${total}`}
          </label>
        )}
      </Read>
      <Evaluation key={agentId + body} agentId={agentId} body={body} />
    </section>
  );
}

interface EvaluationProps {
  /** Empty if none is chosen. */
  agentId: string;
  body: string;
}

/** Of one agent and one set of changes: of what is chosen or typed after that, nothing is known. */
function Evaluation({ agentId, body }: EvaluationProps) {
  const [round, setRound] = useState(0);
  return (
    <>
      <div class="buttons start">
        <button type="button" disabled={agentId === ''} onClick={() => setRound(round + 1)}>
          Evaluate
        </button>
      </div>
      {round > 0 && <Outcome key={round} agentId={agentId} body={body} />}
    </>
  );
}

function Outcome({ agentId, body }: EvaluationProps) {
  const { api } = useDesk();
  const path = `/thresholds/preview?${new URLSearchParams({ agent_id: agentId })}`;
  const [preview, again] = useResource(path + body, () =>
    api.send<ThresholdsPreview>('POST', path, body),
  );
  return (
    <Loaded of={preview} onAgain={again}>
      {(found) => (
        <>
          <Counts {...found} />
          <NotConsidered fields={found.not_considered} />
          <Table
            caption="Decisions that would differ, newest first"
            rows={found.changed}
            keyOf={({ authorization_id: id }) => id}
            columns={columns}
            empty="No decision would differ."
          />
        </>
      )}
    </Loaded>
  );
}

function Counts({ considered, before, after }: ThresholdsPreview) {
  return (
    <Table
      caption={`Decisions evaluated: ${considered}`}
      rows={verdicts}
      keyOf={(verdict) => verdict}
      columns={[
        { head: 'Decision', cell: (verdict) => <Badge word={verdict} /> },
        { head: 'Now', cell: (verdict) => before[verdict], figures: true },
        { head: 'With the changes', cell: (verdict) => after[verdict], figures: true },
      ]}
      empty=""
    />
  );
}

function NotConsidered({ fields }: { fields: readonly string[] }) {
  if (fields.length === 0) return null;
  return (
    <p class="note wait">
      Not considered, because the records cannot show its effect: <Codes codes={fields} />
    </p>
  );
}

const columns: ReadonlyArray<Column<PreviewedDecision>> = [
  { head: 'When', cell: ({ created_at: at }) => <Moment at={at} /> },
  {
    head: 'Amount',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    figures: true,
  },
  { head: 'Now', cell: ({ before }) => <Badge word={before.decision} /> },
  { head: 'With the changes', cell: ({ after }) => <Badge word={after.decision} /> },
  { head: 'Reasons then', cell: ({ after }) => <Codes codes={after.reason_codes} /> },
  { head: 'Authorization', cell: ({ authorization_id: id }) => <Id id={id} /> },
];

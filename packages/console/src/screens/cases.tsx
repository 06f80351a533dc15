import type { FraudCase } from '../api/shapes.js';
import { Actions } from '../parts/actions.js';
import { useQuestion } from '../parts/ask.js';
import { Badge } from '../parts/badge.js';
import { Facts } from '../parts/facts.js';
import { Listing, Read } from '../parts/read.js';
import { Screen, Section, useDesk } from '../parts/screen.js';
import { type Column, Table } from '../parts/table.js';
import { Id, Moment, Money } from '../parts/values.js';
import { hrefOf } from '../route.js';
import { type Resolution, resolutionQuestion, resolutions } from './case-resolution.js';

const columns: ReadonlyArray<Column<FraudCase>> = [
  { head: 'Opened', cell: ({ created_at: at }) => <Moment at={at} /> },
  { head: 'Status', cell: ({ status }) => <Badge word={status} /> },
  { head: 'Severity', cell: ({ severity }) => <Badge word={severity} /> },
  {
    head: 'Amount',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    figures: true,
  },
  {
    head: 'Resolution',
    cell: ({ resolution }) => (resolution ? <Badge word={resolution} /> : '–'),
  },
  { head: 'Agent', cell: ({ agent_id: id }) => <Id id={id} /> },
  { head: 'Case', cell: ({ id }) => <Id id={id} /> },
];

/** If the Program has no fraud triage, the API's refusal is shown. */
export function CasesScreen({ query }: { query: Record<string, string> }) {
  return (
    <Screen title="Fraud cases">
      <p class="quiet">Suspicious payments of agents whose Program has fraud triage enabled.</p>
      <Listing<FraudCase>
        path="/cases"
        cursor={query.cursor}
        addressOf={(cursor) => hrefOf('cases', '', { cursor })}
        caption="Cases, newest first"
        keyOf={({ id }) => id}
        columns={() => columns}
        empty="No fraud cases."
      />
    </Screen>
  );
}

const signalColumns: ReadonlyArray<Column<FraudCase['signals'][number]>> = [
  { head: 'Signal', cell: ({ code }) => <code>{code}</code> },
  { head: 'Score', cell: ({ score }) => score, figures: true },
];

export function CaseScreen({ id }: { id: string }) {
  return (
    <Read<FraudCase> path={`/cases/${id}`} screen="Fraud case">
      {(fraudCase, reload) => (
        <Screen title="Fraud case" aside={<Badge word={fraudCase.status} />}>
          {fraudCase.status === 'OPEN' && <Resolve fraudCase={fraudCase} onResolved={reload} />}
          <CaseFacts fraudCase={fraudCase} />
          <Section title="Signals">
            <Table
              caption="Signals that opened the case"
              rows={fraudCase.signals}
              keyOf={({ code }) => code}
              columns={signalColumns}
              empty="No signals were recorded."
            />
          </Section>
        </Screen>
      )}
    </Read>
  );
}

function CaseFacts({ fraudCase }: { fraudCase: FraudCase }) {
  const { amount, currency } = fraudCase;
  return (
    <Facts
      rows={[
        ['case', <code class="id">{fraudCase.id}</code>],
        ['payment', <Id id={fraudCase.authorization_id} />],
        ['agent', <Id id={fraudCase.agent_id} />],
        ['amount', <Money amount={amount} currency={currency} />],
        ['severity', <Badge word={fraudCase.severity} />],
        ['opened', <Moment at={fraudCase.created_at} />],
        ['resolution', fraudCase.resolution ?? 'none yet'],
        ['resolved', <Moment at={fraudCase.resolved_at} />],
        ['resolved by', fraudCase.resolved_by ?? '–'],
      ]}
    />
  );
}

function Resolve({ fraudCase, onResolved }: { fraudCase: FraudCase; onResolved: () => void }) {
  const { api } = useDesk();
  const [open, ask] = useQuestion(onResolved);
  return (
    <>
      <Actions scope="cases">
        {Object.entries(resolutions).map(([resolution, { button }]) => (
          <button
            key={resolution}
            type="button"
            onClick={() => ask(resolutionQuestion(api, fraudCase, resolution as Resolution))}
          >
            {button}
          </button>
        ))}
      </Actions>
      {open}
    </>
  );
}

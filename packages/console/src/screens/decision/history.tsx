import { sameAmount } from '../../amount.js';
import type { Problem } from '../../api/problem.js';
import type { DecisionStep, Entry, Outcome, Settlement } from '../../api/shapes.js';
import { Badge } from '../../parts/badge.js';
import { Facts, spaced } from '../../parts/facts.js';
import { Foreign } from '../../parts/foreign.js';
import { Listing, Read } from '../../parts/read.js';
import { Section } from '../../parts/screen.js';
import { type Column, Table } from '../../parts/table.js';
import { Moment, Money } from '../../parts/values.js';
import { Codes } from '../decisions.js';

const steps: ReadonlyArray<Column<DecisionStep>> = [
  { head: 'When', cell: ({ at }) => <Moment at={at} /> },
  { head: 'Decision', cell: ({ decision }) => <Badge word={decision} /> },
  { head: 'By', cell: ({ by }) => <code class="id">{by}</code> },
  { head: 'Reasons', cell: ({ reason_codes: codes }) => <Codes codes={codes} /> },
];

const outcomes: ReadonlyArray<Column<Outcome>> = [
  { head: 'Outcome', cell: ({ outcome_type: type }) => spaced(type).toLowerCase() },
  { head: 'Reported', cell: ({ reported_at: at }) => <Moment at={at} /> },
  { head: 'By', cell: ({ reported_by: by }) => by },
  {
    head: 'Settled',
    cell: ({ settled_amount: amount, settled_currency: currency }) =>
      amount === null ? '–' : <Money amount={amount} currency={currency ?? ''} />,
    figures: true,
  },
  {
    head: 'Reference',
    cell: ({ external_reference_id: reference }) => <Foreign text={reference} />,
  },
  { head: 'Notes', cell: ({ notes }) => <Foreign text={notes} /> },
];

const settlements: ReadonlyArray<Column<Settlement>> = [
  { head: 'Chain', cell: ({ chain }) => chain },
  { head: 'Status', cell: ({ status }) => <Badge word={status} /> },
  {
    head: 'Confirmations',
    cell: ({ confirmations, required_confirmations: required }) =>
      `${confirmations} of ${required}`,
    figures: true,
  },
  { head: 'Settled', cell: ({ settled_at: at }) => <Moment at={at} /> },
  { head: 'Transaction', cell: ({ tx_hash: hash }) => <code class="wrap">{hash}</code> },
  { head: 'Failure', cell: ({ failure_reason: reason }) => reason ?? '–' },
];

/** Everything that was added to the record after the decision. */
export function HistorySection({ entry }: { entry: Entry }) {
  const { step_up: challenge } = entry;
  return (
    <Section title="History">
      <Table
        caption="Decisions, in chronological order"
        rows={entry.decision_history}
        keyOf={({ at, decision }) => `${at} ${decision}`}
        columns={steps}
        empty="No history."
      />
      <Facts
        rows={[
          [
            'reversed',
            sameAmount(entry.reversed_amount, '0') ? (
              'nothing'
            ) : (
              <Money amount={entry.reversed_amount} currency={entry.currency} />
            ),
          ],
          ['challenge', challenge ? <Badge word={challenge.status} /> : 'none'],
          ...(challenge
            ? ([
                ['open until', <Moment at={challenge.expires_at} />],
                ['answered', <Moment at={challenge.resolved_at} />],
                ['answered by', challenge.resolved_by ?? '–'],
                ['reason', <Foreign text={challenge.reason} />],
              ] as const)
            : []),
        ]}
      />
      <Listing<Outcome>
        path={`/outcomes/${entry.id}`}
        query={{ limit: '100' }}
        caption="Outcomes, newest first"
        keyOf={({ id }) => id}
        columns={() => outcomes}
        empty="No outcomes were reported."
      />
      {entry.rail === 'CRYPTO' && <Settlements id={entry.id} />}
    </Section>
  );
}

/** No fault: payments of the crypto rail are decided wherever their transfers are observed. */
function unobserved({ status, fields }: Problem): string | null {
  if (status !== 403 || fields.length > 0) return null;
  return 'No chain is observed in this environment, so no transfer can be reported.';
}

function Settlements({ id }: { id: string }) {
  return (
    <Read<Settlement[]> path={`/crypto/settlements/${id}`} absent={unobserved}>
      {(found) => (
        <Table
          caption="On-chain settlements, oldest first"
          rows={found}
          keyOf={({ id: each }) => each}
          columns={settlements}
          empty="No transfers were reported."
        />
      )}
    </Read>
  );
}

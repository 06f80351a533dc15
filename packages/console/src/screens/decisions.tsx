import { sameAmount } from '../amount.js';
import type { Entry } from '../api/shapes.js';
import { Badge } from '../parts/badge.js';
import { Foreign } from '../parts/foreign.js';
import { Listing } from '../parts/read.js';
import { Screen } from '../parts/screen.js';
import type { Column } from '../parts/table.js';
import { Id, Moment, Money } from '../parts/values.js';
import { hrefOf } from '../route.js';

/** Of decisions, whoever asked for them. */
export const decisionColumns: ReadonlyArray<Column<Entry>> = [
  { head: 'When', cell: ({ created_at: at }) => <Moment at={at} /> },
  { head: 'Decision', cell: (entry) => <Verdict entry={entry} /> },
  {
    head: 'Amount',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    figures: true,
  },
  { head: 'Merchant', cell: (entry) => <Foreign text={merchantOf(entry)} /> },
  { head: 'Reasons', cell: ({ reason_codes: codes }) => <Codes codes={codes} /> },
];

export const idColumn: Column<Entry> = { head: 'Authorization', cell: ({ id }) => <Id id={id} /> };

const columns: ReadonlyArray<Column<Entry>> = [
  ...decisionColumns,
  { head: 'KYA', cell: ({ kya_score: score }) => score, figures: true },
  { head: 'Risk', cell: ({ risk_score: score }) => score, figures: true },
  idColumn,
];

/** The merchant, as far as the request named one. */
export function merchantOf(entry: Entry): string | null {
  return entry.merchant_name ?? entry.merchant_id ?? (entry.rail === 'CRYPTO' ? 'on chain' : null);
}

/** The decision, and what became of it: of an unanswered challenge, or of an approved amount. */
export function Verdict({ entry }: { entry: Entry }) {
  const { decision, step_up: challenge } = entry;
  const reversal = reversalOf(entry);
  return (
    <>
      <Badge word={decision} />
      {decision === 'STEP_UP' && challenge && (
        <>
          {' '}
          <Badge word={challenge.status} />
        </>
      )}
      {reversal && (
        <>
          {' '}
          <Badge word={reversal} />
        </>
      )}
    </>
  );
}

/** Null if nothing was reversed. */
function reversalOf({ amount, reversed_amount: reversed }: Entry): string | null {
  if (sameAmount(reversed, '0')) return null;
  return sameAmount(reversed, amount) ? 'REVERSED' : 'PARTLY_REVERSED';
}

export function Codes({ codes }: { codes: readonly string[] }) {
  if (codes.length === 0) return <span class="quiet">–</span>;
  return (
    <>
      {codes.map((code) => (
        <code key={code} class="code">
          {code}
        </code>
      ))}
    </>
  );
}

interface DecisionsProps {
  agentId: string;
  query: Record<string, string>;
}

const sizes = ['25', '50', '100'];

/** All decisions of one agent, newest first, paginated. */
export function DecisionsScreen({ agentId, query }: DecisionsProps) {
  const { limit = '25', cursor } = query;
  return (
    <Screen
      title="Decisions"
      aside={
        <span>
          of <Id id={agentId} />
        </span>
      }
    >
      <nav class="filters" aria-label="Page size">
        Per page:{' '}
        {sizes.map((size) => (
          <a
            key={size}
            href={hrefOf('decisions', agentId, { limit: size })}
            aria-current={size === limit ? 'true' : undefined}
          >
            {size}
          </a>
        ))}
      </nav>
      <DecisionTable
        agentId={agentId}
        limit={limit}
        cursor={cursor}
        addressOf={(next) => hrefOf('decisions', agentId, { limit, cursor: next })}
      />
    </Screen>
  );
}

interface DecisionTableProps {
  agentId: string;
  limit: string;
  cursor?: string | undefined;
  addressOf?: (cursor?: string) => string;
}

export function DecisionTable({ agentId, limit, ...given }: DecisionTableProps) {
  return (
    <Listing<Entry>
      {...given}
      path={`/authorize/log/agent/${agentId}`}
      query={{ limit }}
      caption="Decisions, newest first"
      keyOf={({ id }) => id}
      columns={() => columns}
      empty="The agent has not requested any payments yet."
    />
  );
}

import { shareOf } from '../../amount.js';
import type { Entry, Explanation } from '../../api/shapes.js';
import { Facts, Kept } from '../../parts/facts.js';
import { Loaded, type Resource } from '../../parts/resource.js';
import { Section } from '../../parts/screen.js';
import { type Column, Table } from '../../parts/table.js';
import { Id, Money } from '../../parts/values.js';
import {
  multiplierOf,
  type RecordedMandate,
  recordedFacts,
  recordedMandate,
} from '../../recorded-facts.js';

interface Props {
  entry: Entry;
  explanation: Resource<Explanation>;
}

interface LimitRow {
  window: string;
  of: 'amount' | 'payments';
  limit: string | null;
  /** Absent where no usage is accumulated, or where it is not known. */
  used?: string | undefined;
}

function rowsOf(
  mandate: RecordedMandate,
  { created_at: at }: Entry,
  { counters: used }: Explanation,
): LimitRow[] {
  const day = `day ${at.slice(0, 'yyyy-mm-dd'.length)}`;
  const month = `month ${at.slice(0, 'yyyy-mm'.length)}`;
  const { max_daily_amount: dailyAmount, max_daily_count: dailyCount } = mandate;
  const { max_monthly_amount: monthlyAmount, max_monthly_count: monthlyCount } = mandate;
  return [
    { window: 'per payment', of: 'amount', limit: mandate.max_amount_per_transaction },
    { window: day, of: 'amount', limit: dailyAmount, used: used?.daily_amount_used },
    { window: day, of: 'payments', limit: dailyCount, used: used?.daily_count_used },
    { window: month, of: 'amount', limit: monthlyAmount, used: used?.monthly_amount_used },
    { window: month, of: 'payments', limit: monthlyCount, used: used?.monthly_count_used },
  ];
}

/** The limits of the mandate, and their usage when the payment was decided. */
export function LimitsSection({ entry, explanation }: Props) {
  return (
    <Section title="Limits at that time">
      <Loaded of={explanation}>
        {(found) => {
          const mandate = recordedMandate(found, entry.mandate_id);
          if (!mandate) return <p class="quiet">{withoutMandate(found)}</p>;
          const rows = rowsOf(mandate, entry, found);
          const isIncluded = found.decision === 'APPROVE';
          return (
            <>
              <Facts
                rows={[
                  ['requested', <Money amount={entry.amount} currency={entry.currency} />],
                  ['zone', zoneText(found)],
                ]}
              />
              <Table
                caption="What the mandate allowed"
                rows={rows}
                keyOf={({ window, of }) => `${window} ${of}`}
                columns={limitColumns(mandate.currency, isIncluded)}
                empty=""
              />
              <UsageNote entry={entry} explanation={found} />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function withoutMandate({ judged: isJudged, facts_intact: isIntact }: Explanation): string {
  if (isIntact === false) return 'The facts on record have no mandate for the payment.';
  return isJudged
    ? 'No mandate covered the payment.'
    : 'No limit was evaluated: the decision failed safe.';
}

/** An approval is included in what it says is used; of anything else nothing is used. */
function limitColumns(currency: string, isIncluded: boolean): Array<Column<LimitRow>> {
  return [
    { head: 'Window', cell: ({ window }) => window },
    {
      head: 'Limit',
      cell: ({ of, limit }) => <Quantity of={of} value={limit} currency={currency} />,
      figures: true,
    },
    {
      head: isIncluded ? 'Used with it' : 'Used before',
      cell: ({ of, used }) =>
        used === undefined ? (
          <span class="quiet">–</span>
        ) : (
          <Quantity of={of} value={used} currency={currency} />
        ),
      figures: true,
    },
    { head: 'Usage', cell: (row) => <Share {...row} /> },
  ];
}

interface QuantityProps extends Pick<LimitRow, 'of'> {
  value: string | null;
  currency: string;
}

function Quantity({ of, value, currency }: QuantityProps) {
  if (of === 'amount') return <Money amount={value} currency={currency} />;
  if (value === null) return <span class="quiet">no limit</span>;
  return <span class="money">{value === '1' ? '1 payment' : `${value} payments`}</span>;
}

function Share({ window, of, used, limit }: LimitRow) {
  const share = used === undefined || limit === null ? null : shareOf(used, limit);
  if (share === null) return <span class="quiet">–</span>;
  return <meter min={0} max={1} value={share} aria-label={`${of} used of ${window}`} />;
}

interface NoteProps {
  entry: Entry;
  explanation: Explanation;
}

/** Renders nothing where the usage needs no explanation. */
function UsageNote({ entry, explanation }: NoteProps) {
  if (explanation.counters === null) {
    return <p class="quiet">The decision failed safe, so what was used is not on record.</p>;
  }
  const isConfirmed = entry.decision === 'APPROVE' && explanation.decision === 'STEP_UP';
  if (!isConfirmed) return null;
  return (
    <p class="quiet">
      As of the challenge. The limits were checked again when a human confirmed; what was used by
      then is not on record here.
    </p>
  );
}

/** In RED and CRITICAL only a fraction of the per-payment limit applies. */
function zoneText(explanation: Explanation): string {
  const recorded = recordedFacts(explanation);
  const zone = String(recorded.scores.zone ?? 'unknown');
  const part = multiplierOf(recorded);
  return part === undefined ? zone : `${zone}: ${part} of the limit per payment`;
}

/** Its terms as they were at the time of the decision. */
export function MandateSection({ entry, explanation }: Props) {
  return (
    <Section title="Mandate at that time" aside={<Id id={entry.mandate_id} />}>
      <Loaded of={explanation}>
        {(found) => {
          const mandate = recordedMandate(found, entry.mandate_id);
          if (!mandate) return <p class="quiet">No mandate was used.</p>;
          return (
            <details open>
              <summary>
                Terms, <code class="wrap">{mandate.mandate_hash}</code>
              </summary>
              <Kept value={mandate} />
            </details>
          );
        }}
      </Loaded>
    </Section>
  );
}

import { shareOf } from '../../amount.js';
import type { Entry, Explanation } from '../../api/shapes.js';
import { Facts, Kept } from '../../parts/facts.js';
import { Loaded, type Resource } from '../../parts/resource.js';
import { Section } from '../../parts/screen.js';
import { type Column, Table } from '../../parts/table.js';
import { Id, Money } from '../../parts/values.js';
import { type RecordedMandate, recordedMandate, recordedUsage } from './recorded-mandate.js';

interface Props {
  entry: Entry;
  explanation: Resource<Explanation>;
}

interface LimitRow {
  name: string;
  limit: string | null;
  /** Absent where no usage is accumulated. */
  used?: string | undefined;
}

function rowsOf(mandate: RecordedMandate, explanation: Explanation): LimitRow[] {
  const usage = recordedUsage(explanation);
  return [
    { name: 'per payment', limit: mandate.max_amount_per_transaction },
    {
      name: `day ${usage?.day ?? ''}`.trim(),
      limit: mandate.max_daily_amount,
      used: usage?.daily_amount,
    },
    {
      name: `month ${usage?.month ?? ''}`.trim(),
      limit: mandate.max_monthly_amount,
      used: usage?.monthly_amount,
    },
  ];
}

/** The limits of the mandate, and their usage before the payment was requested. */
export function LimitsSection({ entry, explanation }: Props) {
  return (
    <Section title="Limits at that time">
      <Loaded of={explanation}>
        {(found) => {
          const mandate = recordedMandate(entry, found);
          if (!mandate) return <p class="quiet">No mandate covered the payment.</p>;
          const rows = rowsOf(mandate, found);
          const isUsageKept = recordedUsage(found) !== null;
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
                keyOf={({ name }) => name}
                columns={limitColumns(mandate.currency, isUsageKept)}
                empty=""
              />
              {!isUsageKept && (
                <p class="quiet">
                  No limit was exceeded, so the usage was not recorded with the facts.
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function limitColumns(currency: string, withUsage: boolean): Array<Column<LimitRow>> {
  const limits: Array<Column<LimitRow>> = [
    { head: 'Window', cell: ({ name }) => name },
    {
      head: 'Limit',
      cell: ({ limit }) => <Money amount={limit} currency={currency} />,
      figures: true,
    },
  ];
  if (!withUsage) return limits;
  return [
    ...limits,
    {
      head: 'Used before',
      cell: ({ used }) =>
        used === undefined ? (
          <span class="quiet">–</span>
        ) : (
          <Money amount={used} currency={currency} />
        ),
      figures: true,
    },
    { head: 'Usage', cell: (row) => <Share {...row} /> },
  ];
}

function Share({ name, used, limit }: LimitRow) {
  const share = used === undefined || limit === null ? null : shareOf(used, limit);
  if (share === null) return <span class="quiet">–</span>;
  return <meter min={0} max={1} value={share} aria-label={`used of ${name}`} />;
}

/** In RED and CRITICAL only a fraction of the per-payment limit applies. */
function zoneText({ scores, inputs }: Explanation): string {
  const zone = String(scores?.zone ?? 'unknown');
  const { thresholds } = inputs as { thresholds?: Record<string, string> };
  const part = thresholds?.[`cognitive_multiplier_${zone.toLowerCase()}`];
  return part === undefined ? zone : `${zone}: ${part} of the limit per payment`;
}

/** Its terms as they were at the time of the decision. */
export function MandateSection({ entry, explanation }: Props) {
  return (
    <Section title="Mandate at that time" aside={<Id id={entry.mandate_id} />}>
      <Loaded of={explanation}>
        {(found) => {
          const mandate = recordedMandate(entry, found);
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

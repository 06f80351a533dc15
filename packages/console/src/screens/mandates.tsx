import type { Mandate } from '../api/shapes.js';
import { Badge } from '../parts/badge.js';
import { Read } from '../parts/read.js';
import { type Column, Table } from '../parts/table.js';
import { Id, Moment, Money } from '../parts/values.js';

interface MandateList {
  mandates: Mandate[];
}

type Limit = 'max_amount_per_transaction' | 'max_daily_amount' | 'max_monthly_amount';

const limit = (head: string, name: Limit): Column<Mandate> => ({
  head,
  cell: (mandate) => <Money amount={mandate[name]} currency={mandate.currency} />,
  figures: true,
});

const columns: ReadonlyArray<Column<Mandate>> = [
  { head: 'Mandate', cell: ({ id }) => <Id id={id} /> },
  { head: 'Status', cell: ({ status }) => <Badge word={status} /> },
  limit('One payment', 'max_amount_per_transaction'),
  limit('A day', 'max_daily_amount'),
  limit('A month', 'max_monthly_amount'),
  { head: 'Until', cell: ({ valid_until: at }) => <Moment at={at} /> },
  { head: 'Granted', cell: ({ created_at: at }) => <Moment at={at} /> },
];

/** A payment is evaluated only under the newest active mandate that covers its rail. */
export function MandatesOfAgent({ agentId }: { agentId: string }) {
  return (
    <Read<MandateList> path={`/mandates/agent/${agentId}`}>
      {({ mandates }) => (
        <Table
          caption="Mandates, newest first"
          rows={mandates}
          keyOf={({ id }) => id}
          columns={columns}
          empty="No mandates. Without one, every payment is declined."
        />
      )}
    </Read>
  );
}

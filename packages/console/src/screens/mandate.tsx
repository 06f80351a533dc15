import { shareOf } from '../amount.js';
import type { Budget, BudgetWindow, Mandate } from '../api/shapes.js';
import { Actions } from '../parts/actions.js';
import { useQuestion } from '../parts/ask.js';
import { Badge } from '../parts/badge.js';
import { Kept } from '../parts/facts.js';
import { Read } from '../parts/read.js';
import { Screen, Section, useDesk } from '../parts/screen.js';
import { type Column, Table } from '../parts/table.js';
import { Id, Money } from '../parts/values.js';

/** One mandate: its terms, its current usage, and its revocation. */
export function MandateScreen({ id }: { id: string }) {
  return (
    <Read<Mandate> path={`/mandates/${id}`} screen="Mandate">
      {(found, reload) => (
        <Screen title="Mandate" aside={<Badge word={found.status} />}>
          {found.status === 'ACTIVE' && <Revoke mandate={found} onRevoked={reload} />}
          <p>
            <code class="id">{id}</code> of <Id id={found.agent_id} />
          </p>
          <BudgetSection id={id} />
          <Section title="Terms">
            <Kept value={found} />
          </Section>
        </Screen>
      )}
    </Read>
  );
}

function Revoke({ mandate, onRevoked }: { mandate: Mandate; onRevoked: () => void }) {
  const { api } = useDesk();
  const [open, ask] = useQuestion(onRevoked);
  const revoke = () =>
    ask({
      title: 'Revoke this mandate?',
      consequence: (
        <p>
          As soon as this is done, nothing more is approved under it; payments of the agent are
          declined unless another active mandate covers them. <strong>This cannot be undone</strong>
          ; a new mandate can be granted through the API.
        </p>
      ),
      action: 'Revoke mandate',
      dangerous: true,
      perform: () => api.send('DELETE', `/mandates/${mandate.id}`),
    });
  return (
    <>
      <Actions scope="mandates">
        <button type="button" class="danger" onClick={revoke}>
          Revoke
        </button>
      </Actions>
      {open}
    </>
  );
}

function BudgetSection({ id }: { id: string }) {
  return (
    <Section title="Current usage">
      <Read<Budget> path={`/mandates/${id}/budget`}>
        {({ day, month, currency }) => (
          <Table
            caption="Today and this month, in UTC"
            rows={[day, month]}
            keyOf={({ date }) => date}
            columns={columns(currency)}
            empty=""
          />
        )}
      </Read>
    </Section>
  );
}

function columns(currency: string): ReadonlyArray<Column<BudgetWindow>> {
  const money = (amount: string | null) => <Money amount={amount} currency={currency} />;
  return [
    { head: 'Window', cell: ({ date }) => date },
    { head: 'Used', cell: ({ amount_used: used }) => money(used), figures: true },
    { head: 'Limit', cell: ({ amount_limit: limit }) => money(limit), figures: true },
    { head: 'Left', cell: ({ amount_remaining: rest }) => money(rest), figures: true },
    { head: 'Usage', cell: Share },
    { head: 'Payments', cell: ({ count_used: used }) => used, figures: true },
    { head: 'Max. payments', cell: ({ count_limit: most }) => most ?? 'no limit', figures: true },
  ];
}

function Share({ date, amount_used: used, amount_limit: limit }: BudgetWindow) {
  const share = limit === null ? null : shareOf(used, limit);
  if (share === null) return <span class="quiet">–</span>;
  return <meter min={0} max={1} value={share} aria-label={`used in ${date}`} />;
}

import { rateText } from '../amount.js';
import type { Agent, AgentPage } from '../api/shapes.js';
import { unhidden } from '../foreign-text.js';
import { Badge } from '../parts/badge.js';
import { Filter, type Query } from '../parts/filter.js';
import { Foreign } from '../parts/foreign.js';
import { Read } from '../parts/read.js';
import { Screen } from '../parts/screen.js';
import { type Column, Table } from '../parts/table.js';
import { Id, Moment } from '../parts/values.js';
import { hrefOf } from '../route.js';

const columns: ReadonlyArray<Column<Agent>> = [
  {
    head: 'Agent',
    cell: ({ id, display_name: name }) => (
      <a href={hrefOf('agent', id)}>
        <Foreign text={name} />
      </a>
    ),
  },
  { head: 'Status', cell: ({ status }) => <Badge word={status} /> },
  { head: 'Trust', cell: ({ trust_level: level }) => <Badge word={level} /> },
  { head: 'Decisions', cell: ({ total_transactions: count }) => count, figures: true },
  { head: 'Decline rate', cell: ({ decline_rate: rate }) => rateText(rate), figures: true },
  { head: 'Since', cell: ({ created_at: at }) => <Moment at={at} /> },
  { head: 'Id', cell: ({ id }) => <Id id={id} /> },
  {
    head: 'Log',
    cell: ({ id, display_name: name }) => (
      <a href={hrefOf('decisions', id)} aria-label={`Decisions of ${unhidden(name)}`}>
        decisions
      </a>
    ),
  },
];

const statuses = ['ACTIVE', 'SUSPENDED', 'REVOKED'];
const trustLevels = ['REGISTERED', 'VERIFIED', 'TRUSTED'];

export function AgentsScreen({ query }: { query: Query }) {
  const { page: _page, ...filters } = query;
  return (
    <Screen title="Agents">
      <Filter screen="agents" name="status" words={statuses} query={filters} />
      <Filter screen="agents" name="trust_level" words={trustLevels} query={filters} />
      <Read<AgentPage> path={`/agents?${new URLSearchParams({ page_size: '25', ...query })}`}>
        {(found) => (
          <>
            <Table
              caption={`Agents, ${found.total} in all`}
              rows={found.agents}
              keyOf={({ id }) => id}
              columns={columns}
              empty={isBeyond(found) ? `There is no page ${found.page}.` : 'No agents found.'}
            />
            <Pages {...found} query={query} />
          </>
        )}
      </Read>
    </Screen>
  );
}

function Pages({ query, ...found }: AgentPage & { query: Query }) {
  const current = Number(found.page);
  const last = lastPage(found);
  const to = (number: number) => hrefOf('agents', '', { ...query, page: String(number) });
  if (isBeyond(found)) {
    return (
      <nav class="pager" aria-label="Pages">
        <a href={to(1)}>First page</a>
      </nav>
    );
  }
  if (last === 1) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {current > 1 && <a href={to(current - 1)}>Previous</a>}
      <span>
        page {current} of {last}
      </span>
      {current < last && <a href={to(current + 1)}>Next</a>}
    </nav>
  );
}

function lastPage({ total, page_size: size }: AgentPage): number {
  return Math.max(1, Math.ceil(Number(total) / Number(size)));
}

/** As from an old link to a filtered list that has become shorter. */
function isBeyond(found: AgentPage): boolean {
  return Number(found.page) > lastPage(found);
}

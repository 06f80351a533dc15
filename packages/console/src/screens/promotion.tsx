import { rateText } from '../amount.js';
import type { AgentMetrics, Criterion } from '../api/shapes.js';
import { spaced } from '../parts/facts.js';
import { type Column, Table } from '../parts/table.js';

const criteria: ReadonlyArray<Column<[string, Criterion]>> = [
  { head: 'Criterion', cell: ([name]) => spaced(name) },
  { head: 'Has', cell: ([, { actual }]) => rateText(actual), figures: true },
  { head: 'Needs', cell: ([name, { required }]) => needs(name, required), figures: true },
  { head: 'Met', cell: ([, { met }]) => (met ? 'yes' : 'not yet') },
];

/** What an agent still needs for the next trust level. */
export function Promotion({ metrics }: { metrics: AgentMetrics }) {
  const rows = Object.entries(metrics.promotion_criteria);
  return (
    <div>
      <Table
        caption={`Towards ${metrics.next_trust_level}`}
        rows={rows}
        keyOf={([name]) => name}
        columns={criteria}
        empty=""
      />
      {rows.every(([, { met }]) => met) && !metrics.trust_promotion_eligible && (
        <p class="note wait">
          All of these are met, but its KYA score is below the zone that this level needs.
        </p>
      )}
    </div>
  );
}

/** Counts and ages have to reach their bound; the rates have to keep to a side of theirs. */
function needs(name: string, required: string): string {
  if (name === 'decline_rate') return `below ${required}, or 0`;
  return name === 'dispute_deflection_rate' ? `above ${required}, or 1` : required;
}

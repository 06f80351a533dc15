import type { ComponentChildren } from 'preact';
import type { FraudPattern } from '../api/shapes.js';
import { Badge } from '../parts/badge.js';
import { Listing } from '../parts/read.js';
import { Screen } from '../parts/screen.js';
import type { Column } from '../parts/table.js';
import { Id, Moment } from '../parts/values.js';
import { hrefOf } from '../route.js';

const columns: ReadonlyArray<Column<FraudPattern>> = [
  { head: 'Suspected', cell: ({ created_at: at }) => <Moment at={at} /> },
  { head: 'Agent', cell: ({ agent_id: id }) => <Id id={id} /> },
  { head: 'Recommended', cell: ({ recommended_action: action }) => <Badge word={action} /> },
  { head: 'Confidence', cell: ({ confidence }) => confidence, figures: true },
  {
    head: 'Seen',
    cell: ({ indicators }) => <Lines of={indicators} line={(code) => <code>{code}</code>} />,
  },
  {
    head: 'In payments',
    cell: ({ authorization_ids: ids }) => <Lines of={ids} line={(id) => <Id id={id} />} />,
  },
];

/** If the Program has no fraud triage, the API's refusal is shown. */
export function TakeoversScreen({ query }: { query: Record<string, string> }) {
  return (
    <Screen title="Suspected takeovers">
      <p class="quiet">
        Agents that somebody else may be using, by what they did within a day. Nothing is suspended
        automatically: open the agent to look at its decisions, and suspend it there.
      </p>
      <Listing<FraudPattern>
        path="/fraud-patterns"
        cursor={query.cursor}
        addressOf={(cursor) => hrefOf('takeovers', '', { cursor })}
        caption="Suspicions, newest first"
        keyOf={({ id }) => id}
        columns={() => columns}
        empty="No takeover is suspected."
      />
    </Screen>
  );
}

interface LinesProps {
  of: readonly string[];
  line: (text: string) => ComponentChildren;
}

/** Each on a line of its own. */
function Lines({ of, line }: LinesProps) {
  return of.map((text) => <div key={text}>{line(text)}</div>);
}

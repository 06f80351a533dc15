import type { Entry, Explanation, Reason } from '../../api/shapes.js';
import { judgedAnew } from '../../judged-anew.js';
import { Badge } from '../../parts/badge.js';
import { Foreign } from '../../parts/foreign.js';
import { Read } from '../../parts/read.js';
import type { Resource } from '../../parts/resource.js';
import { Section } from '../../parts/screen.js';
import { type Column, Table } from '../../parts/table.js';
import { type ReasonFact, reasonFact } from '../../reason-facts.js';
import { Explained } from './explained.js';
import { JudgedAnewNote } from './judged-anew.js';

interface Props {
  entry: Entry;
  explanation: Resource<Explanation>;
}

interface Catalog {
  reason_codes: Reason[];
}

const remedies: Record<string, string> = {
  never: 'nothing: a retry gives the same result',
  after_window: 'wait for the next day or month',
  change_request: 'change the request',
  after_human: 'a human has to act first',
  transient: 'try again',
};

interface ShownReason extends Pick<Reason, 'code' | 'description' | 'retry'> {
  /** Null if the service no longer documents the code. */
  severity: string | null;
}

function columnsWith(factOf: (code: string) => ReasonFact | null): Array<Column<ShownReason>> {
  return [
    { head: 'Code', cell: ({ code }) => <code>{code}</code> },
    { head: 'Meaning', cell: ({ description }) => description },
    { head: 'Found', cell: ({ code }) => <Foreign text={factOf(code)?.found ?? null} /> },
    { head: 'Required', cell: ({ code }) => factOf(code)?.bound ?? '–' },
    { head: 'Severity', cell: ({ severity }) => (severity ? <Badge word={severity} /> : '–') },
    { head: 'What helps', cell: ({ retry }) => remedies[retry] ?? retry },
  ];
}

/** Every reason of the decision, in its current and its earlier states. */
export function ReasonsSection({ entry, explanation }: Props) {
  const codes = new Set(entry.decision_history.flatMap(({ reason_codes: each }) => each));
  for (const code of entry.reason_codes) codes.add(code);
  // If the facts cannot be loaded, the reasons are still shown.
  const known = explanation.state === 'done' ? explanation.value : null;
  const factOf = (code: string) => known && reasonFact(code, known, entry.mandate_id);
  return (
    <Section title="Reasons">
      {codes.size === 0 ? (
        <p>No rule objected.</p>
      ) : (
        <Read<Catalog> path="/reason-codes">
          {({ reason_codes: all }) => (
            <Table
              caption="Reasons, in the order in which rules are evaluated"
              rows={explained(codes, all)}
              keyOf={({ code }) => code}
              columns={columnsWith(factOf)}
              empty=""
            />
          )}
        </Read>
      )}
      <Explained of={explanation}>
        {(found) => (
          <>
            <p>
              The agent was told: <Foreign text={found.reason_detail} />
            </p>
            <JudgedAnewNote entry={entry} explanation={found} />
            <Rules rules={found.rules} areOfToday={isOtherwise(entry, found)} />
          </>
        )}
      </Explained>
    </Section>
  );
}

/** In the order of the catalog, followed by codes that the service no longer documents. */
function explained(codes: ReadonlySet<string>, all: readonly Reason[]): ShownReason[] {
  const known = all.filter(({ code }) => codes.has(code));
  const gone = [...codes].filter((code) => !known.some((reason) => reason.code === code));
  return [...known, ...gone.map((code) => ({ ...noLongerPublished, code }))];
}

const noLongerPublished = {
  severity: null,
  retry: '–',
  description: 'The service no longer documents this code.',
} as const;

type Rule = Explanation['rules'][number];

const ruleColumns: ReadonlyArray<Column<Rule>> = [
  { head: 'Rule', cell: ({ rule }) => rule },
  { head: 'Outcome', cell: ({ outcome }) => <Badge word={outcome} /> },
  { head: 'Codes', cell: ({ reason_codes: codes }) => codes.join(', ') },
];

interface RulesProps {
  rules: readonly Rule[];
  /** True if the rules come from a re-evaluation that differs from the decision. */
  areOfToday: boolean;
}

function isOtherwise(entry: Entry, explanation: Explanation): boolean {
  return !['never', 'same'].includes(judgedAnew(entry, explanation).state);
}

function Rules({ rules, areOfToday }: RulesProps) {
  const fired = rules.filter(({ outcome }) => outcome === 'FIRED').length;
  return (
    <details>
      <summary>
        {areOfToday
          ? `Evaluated today: ${rules.length} rules, ${fired} fire`
          : `${rules.length} rules evaluated, ${fired} fired`}
      </summary>
      <Table
        caption="Rules, in the order of evaluation"
        rows={rules}
        keyOf={({ rule }) => rule}
        columns={ruleColumns}
        empty="No rule was evaluated: the decision failed safe."
      />
    </details>
  );
}

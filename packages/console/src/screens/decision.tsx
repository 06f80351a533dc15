import type { Entry, Explanation } from '../api/shapes.js';
import { Facts, Kept } from '../parts/facts.js';
import { Foreign } from '../parts/foreign.js';
import { Read } from '../parts/read.js';
import { Loaded, type Resource, useResource } from '../parts/resource.js';
import { Screen, Section, useDesk } from '../parts/screen.js';
import { Id, Moment, Money } from '../parts/values.js';
import { hrefOf } from '../route.js';
import { AttestationSection } from './decision/attestation.js';
import { Explained, Unexplained } from './decision/explained.js';
import { HistorySection } from './decision/history.js';
import { judgedAnewText } from './decision/judged-anew.js';
import { LimitsSection, MandateSection } from './decision/mandate.js';
import { ReasonsSection } from './decision/reasons.js';
import { ScoresSection } from './decision/scores.js';
import { Transfer } from './decision/transfer.js';
import { merchantOf, Verdict } from './decisions.js';

/** One decision, explained from what was recorded with it. */
export function DecisionScreen({ id }: { id: string }) {
  const { api } = useDesk();
  const path = `/authorize/log/${id}`;
  const [explanation, explainAgain] = useResource(`${path}/explain`, (signal) =>
    api.get<Explanation>(`${path}/explain`, signal),
  );
  // A heading without anything below it would seem to say that nothing was recorded.
  const isExplained = explanation.state !== 'failed';
  return (
    <Read<Entry> path={path} screen="Decision">
      {(found) => (
        <Screen title="Decision" aside={<code class="id">{id}</code>}>
          <Summary entry={found} explanation={explanation} />
          <Unexplained of={explanation} onAgain={explainAgain} />
          <ReasonsSection entry={found} explanation={explanation} />
          <AttestationSection entry={found} explanation={explanation} />
          <div class="columns">
            {isExplained && <LimitsSection entry={found} explanation={explanation} />}
            <ScoresSection entry={found} explanation={explanation} />
          </div>
          {isExplained && <SaidSection explanation={explanation} />}
          <HistorySection entry={found} />
          {isExplained && <MandateSection entry={found} explanation={explanation} />}
          {isExplained && <Recorded entry={found} explanation={explanation} />}
        </Screen>
      )}
    </Read>
  );
}

interface RecordedProps {
  entry: Entry;
  explanation: Resource<Explanation>;
}

function Summary({ entry, explanation }: RecordedProps) {
  return (
    <div class={`verdict ${entry.decision.toLowerCase()}`}>
      <p class="headline">
        <Verdict entry={entry} />
        <Money amount={entry.amount} currency={entry.currency} />
        <Foreign text={merchantOf(entry)} />
      </p>
      <Facts
        rows={[
          // The time in the history, which is the one compared with the signature.
          ['decided', <Moment at={entry.decision_history[0]?.at ?? entry.created_at} />],
          ['agent', <Id id={entry.agent_id} />],
          ['mandate', <Id id={entry.mandate_id} />],
          ['rail', entry.rail],
          ['merchant id', <Foreign text={entry.merchant_id} />],
          ['category (MCC)', entry.mcc ?? '–'],
          ['country', entry.country ?? '–'],
          ['client reference', <Reference text={entry.client_reference} />],
          ['transaction', <code class="id">{entry.transaction_id}</code>],
          ['took', `${entry.processing_time_ms} ms`],
        ]}
      />
      {entry.rail === 'CRYPTO' && (
        <Explained of={explanation}>{(found) => <Transfer explanation={found} />}</Explained>
      )}
    </div>
  );
}

/** A link to all payments of the order. */
function Reference({ text }: { text: string | null }) {
  if (text === null) return <Foreign text={null} />;
  return (
    <a href={hrefOf('log', '', { client_reference: text })}>
      <Foreign text={text} />
    </a>
  );
}

/** What the agent stated about the payment; empty fields are omitted. */
function SaidSection({ explanation }: { explanation: Resource<Explanation> }) {
  return (
    <Section title="What the agent stated">
      <Loaded of={explanation}>{({ inputs }) => <Kept value={said(inputs)} />}</Loaded>
    </Section>
  );
}

function said(inputs: Explanation['inputs']): unknown {
  const { payment } = inputs as { payment?: { intent_context?: Record<string, unknown> } };
  const context = Object.entries(payment?.intent_context ?? {});
  return Object.fromEntries(context.filter(([, value]) => value !== null));
}

/** All facts that the decision was made from. */
function Recorded({ entry, explanation }: RecordedProps) {
  return (
    <Section title="All recorded facts">
      <Loaded of={explanation}>
        {(found) => (
          <>
            <Facts
              rows={[
                ['facts', <code class="wrap">{found.input_hash}</code>],
                ['policy', <code class="wrap">{found.policy_hash}</code>],
                ['re-evaluated', judgedAnewText(entry, found)],
              ]}
            />
            <details>
              <summary>The facts, whole</summary>
              <Kept value={found.inputs} />
            </details>
          </>
        )}
      </Loaded>
    </Section>
  );
}

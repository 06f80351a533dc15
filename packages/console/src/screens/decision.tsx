import type { Entry, Explanation } from '../api/shapes.js';
import { Badge } from '../parts/badge.js';
import { Facts, Kept } from '../parts/facts.js';
import { Foreign } from '../parts/foreign.js';
import { Read } from '../parts/read.js';
import { Loaded, type Resource, useResource } from '../parts/resource.js';
import { Screen, Section, useDesk } from '../parts/screen.js';
import { Id, Moment, Money } from '../parts/values.js';
import { AttestationSection } from './decision/attestation.js';
import { HistorySection } from './decision/history.js';
import { judgedAnewText } from './decision/judged-anew.js';
import { LimitsSection, MandateSection } from './decision/mandate.js';
import { ReasonsSection } from './decision/reasons.js';
import { ScoresSection } from './decision/scores.js';
import { merchantOf } from './decisions.js';

/** One decision, explained by what was recorded with it: nothing here is judged anew by today. */
export function DecisionScreen({ id }: { id: string }) {
  const { api } = useDesk();
  const path = `/authorize/log/${id}`;
  const [explanation] = useResource(`${path}/explain`, (signal) =>
    api.get<Explanation>(`${path}/explain`, signal),
  );
  return (
    <Read<Entry> path={path} screen="Decision">
      {(found) => (
        <Screen title="Decision" aside={<code class="id">{id}</code>}>
          <Verdict entry={found} />
          <ReasonsSection entry={found} explanation={explanation} />
          <AttestationSection entry={found} explanation={explanation} />
          <div class="columns">
            <LimitsSection entry={found} explanation={explanation} />
            <ScoresSection entry={found} explanation={explanation} />
          </div>
          <SaidSection explanation={explanation} />
          <HistorySection entry={found} />
          <MandateSection entry={found} explanation={explanation} />
          <Recorded entry={found} explanation={explanation} />
        </Screen>
      )}
    </Read>
  );
}

function Verdict({ entry }: { entry: Entry }) {
  return (
    <div class={`verdict ${entry.decision.toLowerCase()}`}>
      <p class="headline">
        <Badge word={entry.decision} />
        <Money amount={entry.amount} currency={entry.currency} />
        <Foreign text={merchantOf(entry)} />
      </p>
      <Facts
        rows={[
          // That of the history, which is compared with what was signed.
          ['decided', <Moment at={entry.decision_history[0]?.at ?? entry.created_at} />],
          ['agent', <Id id={entry.agent_id} />],
          ['mandate', <Id id={entry.mandate_id} />],
          ['rail', entry.rail],
          ['merchant id', <Foreign text={entry.merchant_id} />],
          ['category (MCC)', entry.mcc ?? '–'],
          ['country', entry.country ?? '–'],
          ['client reference', <Foreign text={entry.client_reference} />],
          ['transaction', <code class="id">{entry.transaction_id}</code>],
          ['took', `${entry.processing_time_ms} ms`],
        ]}
      />
    </div>
  );
}

/** What the agent said of the payment, without what it left out. */
function SaidSection({ explanation }: { explanation: Resource<Explanation> }) {
  return (
    <Section title="What the agent said of it">
      <Loaded of={explanation}>{({ inputs }) => <Kept value={said(inputs)} />}</Loaded>
    </Section>
  );
}

function said(inputs: Explanation['inputs']): unknown {
  const { payment } = inputs as { payment?: { intent_context?: Record<string, unknown> } };
  const context = Object.entries(payment?.intent_context ?? {});
  return Object.fromEntries(context.filter(([, value]) => value !== null));
}

interface RecordedProps {
  entry: Entry;
  explanation: Resource<Explanation>;
}

/** The facts that were judged, whole. */
function Recorded({ entry, explanation }: RecordedProps) {
  return (
    <Section title="Everything that was recorded">
      <Loaded of={explanation}>
        {(found) => (
          <>
            <Facts
              rows={[
                ['facts', <code class="wrap">{found.input_hash}</code>],
                ['policy', <code class="wrap">{found.policy_hash}</code>],
                ['judged anew', judgedAnewText(entry, found)],
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

import { useEffect, useMemo, useState } from 'preact/hooks';
import { amountText } from '../amount.js';
import type { PendingStepUp } from '../api/shapes.js';
import { unhidden } from '../foreign-text.js';
import { timeLeft } from '../moment.js';
import { useMay } from '../parts/actions.js';
import { useQuestion } from '../parts/ask.js';
import { Foreign } from '../parts/foreign.js';
import { Paged } from '../parts/read.js';
import { Screen, Section, useDesk } from '../parts/screen.js';
import { type Column, Table } from '../parts/table.js';
import { Id, Moment, Money } from '../parts/values.js';
import { hrefOf } from '../route.js';
import { Codes } from './decisions.js';
import { type Answer, stepUpQuestion } from './step-up-answer.js';

/** Step-ups that wait for a human, and those for which nobody came. */
export function StepUpsScreen({ query }: { query: Record<string, string> }) {
  const [round, setRound] = useState(0);
  return (
    <Screen
      title="Step-ups"
      aside={
        <button type="button" onClick={() => setRound(round + 1)}>
          Refresh
        </button>
      }
    >
      <p class="quiet">
        Payments that wait for a human. Nothing is reserved while they wait, and they end by
        themselves.
      </p>
      <Paged<PendingStepUp>
        key={round}
        path="/authorize/step-up/pending"
        cursor={query.cursor}
        addressOf={(cursor) => hrefOf('step-ups', '', { cursor })}
      >
        {(rows, reload) => (
          <Challenges
            rows={rows}
            empty={`No pending step-ups${query.cursor === undefined ? '' : ' on this page'}.`}
            onAnswered={reload}
          />
        )}
      </Paged>
    </Screen>
  );
}

interface ChallengesProps {
  rows: readonly PendingStepUp[];
  empty: string;
  onAnswered: () => void;
}

/** The API lists what nobody answered, so also what expired lately: that is shown apart. */
function Challenges({ rows, empty, onAnswered }: ChallengesProps) {
  const { api } = useDesk();
  // As of when they were loaded, because a row must not move away from whoever is answering it.
  const [open, over] = useMemo(() => openAndOver(rows, api.now()), [rows]);
  const keyOf = ({ authorization_id: id }: PendingStepUp) => id;
  return (
    <>
      <Table
        caption="Pending step-ups, newest first"
        rows={open}
        keyOf={keyOf}
        columns={openColumns(onAnswered)}
        empty={empty}
      />
      {over.length > 0 && (
        <Section title="Expired">
          <Table
            caption="Expired without an answer, newest first"
            rows={over}
            keyOf={keyOf}
            columns={overColumns}
            empty=""
          />
        </Section>
      )}
    </>
  );
}

function openAndOver(rows: readonly PendingStepUp[], nowMs: number) {
  const isOpen = ({ expires_at: at }: PendingStepUp) => timeLeft(at, nowMs) !== null;
  return [rows.filter(isOpen), rows.filter((row) => !isOpen(row))] as const;
}

const payment: ReadonlyArray<Column<PendingStepUp>> = [
  {
    head: 'Amount',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    figures: true,
  },
  { head: 'Merchant', cell: ({ merchant_name: name }) => <Foreign text={name} /> },
  { head: 'Why', cell: ({ reason_codes: codes }) => <Codes codes={codes} /> },
];

const ids: ReadonlyArray<Column<PendingStepUp>> = [
  { head: 'Agent', cell: ({ agent_id: id }) => <Id id={id} /> },
  { head: 'Authorization', cell: ({ authorization_id: id }) => <Id id={id} /> },
];

const overColumns: ReadonlyArray<Column<PendingStepUp>> = [
  { head: 'Expired', cell: ({ expires_at: at }) => <Moment at={at} /> },
  ...payment,
  ...ids,
];

function openColumns(onAnswered: () => void): ReadonlyArray<Column<PendingStepUp>> {
  return [
    { head: 'Time left', cell: ({ expires_at: at }) => <TimeLeft until={at} /> },
    ...payment,
    { head: 'Answer', cell: (row) => <Answers challenge={row} onAnswered={onAnswered} /> },
    ...ids,
  ];
}

interface AnswersProps {
  challenge: PendingStepUp;
  onAnswered: () => void;
}

function Answers({ challenge, onAnswered }: AnswersProps) {
  const { api } = useDesk();
  const [open, ask] = useQuestion(onAnswered);
  const may = useMay('authorize');
  const isOver = timeLeft(challenge.expires_at, useNow()) === null;
  const which = paymentName(challenge);
  const answer = (how: Answer) => () => ask(stepUpQuestion(api, challenge, how));
  return (
    <span class="answers">
      {isOver && <span class="quiet">too late</span>}
      {may && !isOver && (
        <>
          <button type="button" aria-label={`Confirm ${which}`} onClick={answer('confirm')}>
            Confirm
          </button>
          <button
            type="button"
            class="danger"
            aria-label={`Deny ${which}`}
            onClick={answer('deny')}
          >
            Deny
          </button>
        </>
      )}
      {open}
    </span>
  );
}

/** For those to whom a button is read without its row; the id tells equal payments apart. */
function paymentName(challenge: PendingStepUp): string {
  const { amount, currency, merchant_name: merchant, authorization_id: id } = challenge;
  const to = merchant === null ? '' : ` to ${unhidden(merchant)}`;
  return `${amountText(amount, currency)} ${currency}${to}, ${id}`;
}

function TimeLeft({ until }: { until: string }) {
  const left = timeLeft(until, useNow());
  return left === null ? <span class="quiet">expired</span> : <span class="money">{left}</span>;
}

const tickMs = 1_000;

/** By the clock of the service: it decides until when a challenge can be answered. */
function useNow(): number {
  const { api } = useDesk();
  const [now, setNow] = useState(api.now);
  useEffect(() => {
    const tick = setInterval(() => setNow(api.now()), tickMs);
    return () => clearInterval(tick);
  }, [api]);
  return now;
}

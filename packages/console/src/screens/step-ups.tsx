import { useEffect, useState } from 'preact/hooks';
import type { PendingStepUp } from '../api/shapes.js';
import { timeLeft } from '../moment.js';
import { useMay } from '../parts/actions.js';
import { useQuestion } from '../parts/ask.js';
import { Foreign } from '../parts/foreign.js';
import { Listing } from '../parts/read.js';
import { Screen, useDesk } from '../parts/screen.js';
import type { Column } from '../parts/table.js';
import { Id, Money } from '../parts/values.js';
import { hrefOf } from '../route.js';
import { Codes } from './decisions.js';
import { type Answer, stepUpQuestion } from './step-up-answer.js';

/** Pending step-ups. */
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
      <Listing<PendingStepUp>
        key={round}
        path="/authorize/step-up/pending"
        cursor={query.cursor}
        addressOf={(cursor) => hrefOf('step-ups', '', { cursor })}
        caption="Pending step-ups, newest first"
        keyOf={({ authorization_id: id }) => id}
        columns={columnsWith}
        empty="No pending step-ups."
      />
    </Screen>
  );
}

function columnsWith(reload: () => void): ReadonlyArray<Column<PendingStepUp>> {
  return [
    { head: 'Time left', cell: ({ expires_at: at }) => <TimeLeft until={at} /> },
    {
      head: 'Amount',
      cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      figures: true,
    },
    { head: 'Merchant', cell: ({ merchant_name: name }) => <Foreign text={name} /> },
    { head: 'Why', cell: ({ reason_codes: codes }) => <Codes codes={codes} /> },
    { head: 'Answer', cell: (row) => <Answers challenge={row} onAnswered={reload} /> },
    { head: 'Agent', cell: ({ agent_id: id }) => <Id id={id} /> },
    { head: 'Authorization', cell: ({ authorization_id: id }) => <Id id={id} /> },
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
  const answer = (how: Answer) => () => ask(stepUpQuestion(api, challenge, how));
  return (
    <span class="answers">
      {isOver && <span class="quiet">too late</span>}
      {may && !isOver && (
        <>
          <button type="button" onClick={answer('confirm')}>
            Confirm
          </button>
          <button type="button" class="danger" onClick={answer('deny')}>
            Deny
          </button>
        </>
      )}
      {open}
    </span>
  );
}

function TimeLeft({ until }: { until: string }) {
  const left = timeLeft(until, useNow());
  return left === null ? <span class="quiet">expired</span> : <span class="money">{left}</span>;
}

const tickMs = 1_000;

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(tick);
  }, []);
  return now;
}

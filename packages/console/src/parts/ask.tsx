import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { asProblem, type Problem } from '../api/problem.js';
import { Field } from './field.js';
import { ProblemNote } from './problem-note.js';

/** A confirmation dialog, which states the consequences of an action. */
export interface Question {
  title: string;
  /** What will happen, to whom, and whether it can be undone. */
  consequence: ComponentChildren;
  /** What must be seen before: it is loaded, and calls `shown` when it is there. */
  shows?: (shown: () => void) => ComponentChildren;
  /** Label of the button: the verb, not "OK". */
  action: string;
  dangerous?: boolean;
  /** Shown if the API takes a reason. */
  reason?: { label: string; required: boolean };
  perform: (reason: string) => Promise<unknown>;
}

const maxReasonLength = 500;

interface AskProps {
  question: Question;
  onClose: () => void;
  /** Called once the request was sent, whatever the response: something may have changed. */
  onSent: () => void;
}

function Ask({ question, onClose, onSent }: AskProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const [seen, setSeen] = useState(question.shows === undefined);
  const { sent, busy, problem, send } = useSending(dialog, onSent);
  useEffect(() => dialog.current?.showModal(), []);
  const perform = (event: Event) => {
    event.preventDefault();
    return send(() => question.perform(reason.trim()));
  };
  const close = () => {
    onClose();
    if (sent.current !== 'nothing') onSent();
  };
  // A request in flight cannot be cancelled, so closing the dialog must not suggest it.
  const stay = (event: Event) => sent.current === 'waiting' && event.preventDefault();
  return (
    <dialog ref={dialog} aria-labelledby="question" onCancel={stay} onClose={close}>
      <form onSubmit={perform}>
        <h2 id="question">{question.title}</h2>
        {question.consequence}
        {question.shows?.(() => setSeen(true))}
        {question.reason && (
          <Field
            id="reason"
            {...question.reason}
            kind="text"
            maxLength={maxReasonLength}
            value={reason}
            onInput={setReason}
          />
        )}
        {problem && <ProblemNote problem={problem} />}
        <p class="quiet" role="status">
          {busy && 'Waiting for the response…'}
        </p>
        <div class="buttons">
          <button type="button" disabled={busy} onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button
            type="submit"
            class={question.dangerous ? 'danger' : 'main'}
            disabled={busy || !seen}
          >
            {question.action}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Sends the request of a dialog, one at a time, and closes the dialog if it succeeds. */
function useSending(dialog: RefObject<HTMLDialogElement | null>, onSent: () => void) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const sent = useRef<'nothing' | 'waiting' | 'answered'>('nothing');
  const send = async (request: () => Promise<unknown>) => {
    if (sent.current === 'waiting') return;
    sent.current = 'waiting';
    setBusy(true);
    try {
      await request();
      // Closed by its own method, so that the focus returns to where it was opened.
      dialog.current?.close();
    } catch (thrown) {
      setProblem(asProblem(thrown));
    }
    sent.current = 'answered';
    setBusy(false);
    // The dialog was removed while the request was in flight, so what is shown is out of date.
    if (!dialog.current) onSent();
  };
  return { sent, busy, problem, send };
}

/** The open dialog, if any, and a function to open one; `onSent` reloads what it is about. */
export function useQuestion(onSent: () => void): [ComponentChildren, (question: Question) => void] {
  const [question, setQuestion] = useState<Question | null>(null);
  const close = () => setQuestion(null);
  return [
    question && <Ask key={question.title} question={question} onClose={close} onSent={onSent} />,
    setQuestion,
  ];
}

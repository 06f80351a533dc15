import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { asProblem, type Problem } from '../api/problem.js';
import { Field } from './field.js';
import { ProblemNote } from './problem-note.js';

/** Something that is not done before somebody has read what it will do. */
export interface Question {
  title: string;
  /** What will happen, to whom, and whether it can be taken back. */
  consequence: ComponentChildren;
  /** On the button: the verb, not "OK". */
  action: string;
  dangerous?: boolean;
  /** Asked for where the API takes one. */
  reason?: { label: string; required: boolean };
  perform: (reason: string) => Promise<unknown>;
}

const maxReasonLength = 500;

interface AskProps {
  question: Question;
  onClose: () => void;
  /** Something may have changed: it was sent, whatever was answered. */
  onSent: () => void;
}

function Ask({ question, onClose, onSent }: AskProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const sent = useRef<'nothing' | 'waiting' | 'answered'>('nothing');
  useEffect(() => dialog.current?.showModal(), []);
  const perform = async (event: Event) => {
    event.preventDefault();
    if (sent.current === 'waiting') return;
    sent.current = 'waiting';
    setBusy(true);
    try {
      await question.perform(reason.trim());
      // By its own close, so that the focus returns to where it was asked.
      dialog.current?.close();
    } catch (thrown) {
      setProblem(asProblem(thrown));
    }
    sent.current = 'answered';
    setBusy(false);
    // Closed by force while it waited: what was read then is out of date.
    if (!dialog.current) onSent();
  };
  const close = () => {
    onClose();
    if (sent.current !== 'nothing') onSent();
  };
  // What is on its way cannot be called back, so nothing may look as if it were.
  const stay = (event: Event) => sent.current === 'waiting' && event.preventDefault();
  return (
    <dialog ref={dialog} aria-labelledby="question" onCancel={stay} onClose={close}>
      <form onSubmit={perform}>
        <h2 id="question">{question.title}</h2>
        {question.consequence}
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
          {busy && 'Waiting for the answer…'}
        </p>
        <div class="buttons">
          <button type="button" disabled={busy} onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class={question.dangerous ? 'danger' : 'main'} disabled={busy}>
            {question.action}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** The question that is open, if any, and how to ask one; `onSent` reads anew what it is about. */
export function useQuestion(onSent: () => void): [ComponentChildren, (question: Question) => void] {
  const [question, setQuestion] = useState<Question | null>(null);
  const close = () => setQuestion(null);
  return [
    question && <Ask key={question.title} question={question} onClose={close} onSent={onSent} />,
    setQuestion,
  ];
}

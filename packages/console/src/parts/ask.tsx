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
  /** Closes the question, done or not. */
  onClose: (done: boolean) => void;
}

function Ask({ question, onClose }: AskProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const done = useRef(false);
  useEffect(() => dialog.current?.showModal(), []);
  const perform = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    try {
      await question.perform(reason.trim());
      done.current = true;
      // By its own close, so that the focus returns to where it was asked.
      dialog.current?.close();
    } catch (thrown) {
      setProblem(asProblem(thrown));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby="question" onClose={() => onClose(done.current)}>
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
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
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

/** The question that is open, if any, and how to ask one; `onDone` runs once it was carried out. */
export function useQuestion(onDone: () => void): [ComponentChildren, (question: Question) => void] {
  const [question, setQuestion] = useState<Question | null>(null);
  const close = (done: boolean) => {
    setQuestion(null);
    if (done) onDone();
  };
  return [
    question && <Ask key={question.title} question={question} onClose={close} />,
    setQuestion,
  ];
}

import type { Entry, Explanation } from '../../api/shapes.js';
import { type JudgedAnew, judgedAnew } from '../../judged-anew.js';

interface Props {
  entry: Entry;
  explanation: Explanation;
}

/** Says nothing where there is nothing to say: the judgement of today is the one of then. */
export function JudgedAnewNote({ entry, explanation }: Props) {
  const found = judgedAnew(entry, explanation);
  if (found.state === 'facts-changed') return <ChangedFacts />;
  return found.state === 'otherwise' ? <OtherRules {...found} /> : null;
}

function ChangedFacts() {
  return (
    <p class="note bad" role="alert">
      <strong>The facts were changed.</strong> What is recorded as the facts of this decision is no
      longer what it was made from: their hash is another than the one on record. Do not rely on the
      figures of this page, and ask who runs the service to hold them against the log with{' '}
      <code>npm run verify-log</code>.
    </p>
  );
}

/** Calm: after a release that changed a rule every old decision may read like this. */
function OtherRules({ once, today }: Extract<JudgedAnew, { state: 'otherwise' }>) {
  return (
    <p class="note wait">
      <strong>The rules have changed since.</strong> This decision stands as it was made, by the
      rules of its day, from facts that are unchanged.{' '}
      {once.join() === today.join() ? (
        "Judged by today's rules it would have the same reasons, and other scores."
      ) : (
        <>
          Judged by today's rules its reasons would be <Reasons codes={today} />; they were{' '}
          <Reasons codes={once} />.
        </>
      )}{' '}
      A new release of the service does that, and it says nothing against the decision. Whether
      anybody changed what was signed is said under Attestation.
    </p>
  );
}

function Reasons({ codes }: { codes: readonly string[] }) {
  return codes.length === 0 ? <strong>none</strong> : <code class="wrap">{codes.join(', ')}</code>;
}

const inShort: Record<JudgedAnew['state'], string> = {
  never: 'nothing was judged: the decision failed safe',
  same: 'the same decision',
  otherwise: 'not the same, by the rules of today: see Reasons',
  'facts-changed': 'not possible, the facts were changed: see Reasons',
};

export function judgedAnewText(entry: Entry, explanation: Explanation): string {
  return inShort[judgedAnew(entry, explanation).state];
}

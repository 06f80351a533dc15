import type { Entry, Explanation } from '../../api/shapes.js';
import { type JudgedAnew, judgedAnew } from '../../judged-anew.js';

interface Props {
  entry: Entry;
  explanation: Explanation;
}

/** Renders nothing if a re-evaluation today gives the same result. */
export function JudgedAnewNote({ entry, explanation }: Props) {
  const found = judgedAnew(entry, explanation);
  if (found.state === 'facts-changed') return <ChangedFacts />;
  if (found.state === 'unexplained') return <Unexplained {...found} />;
  return found.state === 'otherwise' ? <OtherRules {...found} /> : null;
}

function ChangedFacts() {
  return (
    <p class="note bad" role="alert">
      <strong>The facts were changed.</strong> The recorded facts are no longer those that the
      decision was made from: their hash differs from the hash on record. Do not rely on the figures
      on this page, and ask the operator of the service to check them against the log with{' '}
      <code>npm run verify-log</code>.
    </p>
  );
}

type Different = Extract<JudgedAnew, { today: unknown }>;

/** No release explains it: the policy of today has the hash of the recorded one. */
function Unexplained(different: Different) {
  return (
    <p class="note bad" role="alert">
      <strong>The same rules give another result.</strong> The recorded facts are unchanged, and so
      are the rules. <Difference {...different} /> Do not rely on the reasons and scores on this
      page, and ask the operator of the service to check them against the log with{' '}
      <code>npm run verify-log</code>.
    </p>
  );
}

/**
 * Not styled as an alarm: after a release that changed a rule, every older decision may show this.
 */
function OtherRules(different: Different) {
  return (
    <p class="note wait">
      <strong>The rules have changed since.</strong> The decision stands as it was made, under the
      rules of that time. Its facts are unchanged. <Difference {...different} /> This is expected
      after an update of the service and does not affect the decision. Attestation shows whether the
      signed values were changed, and <code>npm run verify-log</code> whether anything else on
      record was.
    </p>
  );
}

function Difference({ once, today }: Different) {
  if (once.join() === today.join()) {
    return <>Under today's rules it would have the same reasons, but different scores.</>;
  }
  return (
    <>
      Under today's rules its reasons would be <Reasons codes={today} />; they were{' '}
      <Reasons codes={once} />.
    </>
  );
}

function Reasons({ codes }: { codes: readonly string[] }) {
  return codes.length === 0 ? <strong>none</strong> : <code class="wrap">{codes.join(', ')}</code>;
}

const inShort: Record<JudgedAnew['state'], string> = {
  never: 'not possible: the decision failed safe',
  same: 'same decision',
  otherwise: 'different under the rules of today: see Reasons',
  unexplained: 'different under the same rules: see Reasons',
  'facts-changed': 'not possible, since the facts were changed: see Reasons',
};

export function judgedAnewText(entry: Entry, explanation: Explanation): string {
  const { evaluated_with: today } = explanation;
  const result = inShort[judgedAnew(entry, explanation).state];
  return today ? `by ${today.rule_set}: ${result}` : result;
}

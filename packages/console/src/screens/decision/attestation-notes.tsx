import type { Entry } from '../../api/shapes.js';
import { deniedChallenge, type Shown } from '../../attestation/compare.js';
import type { Signature } from '../../attestation/verify.js';
import { Moment } from '../../parts/values.js';

export function NotValid({ signature }: { signature: Exclude<Signature, { state: 'valid' }> }) {
  if (signature.state === 'invalid') {
    return (
      <p class="note bad" role="alert">
        <strong>Invalid.</strong> {signature.why} Do not rely on this decision.
      </p>
    );
  }
  if (signature.state === 'cannot-check') {
    return <p class="note wait">It could not be checked here. {signature.why}</p>;
  }
  if (signature.state === 'key-revoked') {
    return (
      <p class="note bad" role="alert">
        <strong>Key revoked</strong> on <Moment at={signature.revokedAt} />: nothing that{' '}
        <code class="wrap">{signature.kid}</code> signed should be trusted.
      </p>
    );
  }
  return (
    <p class="note wait" role="alert">
      <strong>Key unknown.</strong> The service does not publish the key{' '}
      <code class="wrap">{signature.kid}</code>, so the signature cannot be checked.
    </p>
  );
}

interface NotVerifiedProps extends Pick<Shown, 'facts'> {
  isConfirmed: boolean;
}

/** What the page shows without a signature that covers it. */
export function NotVerified({ facts, isConfirmed }: NotVerifiedProps) {
  return (
    <>
      {facts === null && (
        <p class="note wait">
          The facts could not be loaded, so they were not compared with the signature.
        </p>
      )}
      {facts?.isRequest && (
        <p>
          The request was rebuilt from the facts and its hash matches: the merchant name and what
          the agent stated are covered by the signature.
        </p>
      )}
      {facts?.isRequest === false && (
        <p class="note wait">
          The signed hash of the request could not be reproduced from the facts, so the merchant
          name and what the agent stated are not verified. The request may have been formatted
          differently from the record, or the record may have been changed.
        </p>
      )}
      {isConfirmed && (
        <p class="note wait">
          The signature covers the approval by a human. Why a human was asked is on record, but is
          not covered.
        </p>
      )}
      <p class="quiet">
        Not signed, and not verified here: what the agent was told, the usage of the limits, the
        thresholds, the history of the agent, the status of agent, Principal and Program, and what
        followed the decision. The operator of the service can check them against the log with{' '}
        <code>npm run verify-log</code>.
      </p>
    </>
  );
}

/** A denial is on record, but not signed. */
export function Denied({ entry }: { entry: Entry }) {
  if (!deniedChallenge(entry)) return null;
  return (
    <p class="note wait">
      The signature covers the step-up before a human answered. The decline of{' '}
      <Moment at={entry.decision_history.at(-1)?.at ?? null} /> is on record, but denials are not
      signed.
    </p>
  );
}

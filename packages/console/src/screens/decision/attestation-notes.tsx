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
        <code class="wrap">{signature.kid}</code> signed should be believed.
      </p>
    );
  }
  return (
    <p class="note wait" role="alert">
      <strong>Key unknown.</strong> The service does not publish the key{' '}
      <code class="wrap">{signature.kid}</code>: whether it signed this cannot be told.
    </p>
  );
}

interface NotVerifiedProps extends Pick<Shown, 'facts'> {
  isConfirmed: boolean;
}

/** What stands on this page without a signature that covers it: to be believed of the service. */
export function NotVerified({ facts, isConfirmed }: NotVerifiedProps) {
  return (
    <>
      {facts === null && (
        <p class="note wait">
          The facts could not be read, so nothing that this page shows of them was compared.
        </p>
      )}
      {facts?.isRequest && (
        <p>
          The request was put together from the facts and hashed again: the name of the merchant and
          what the agent said of the payment are part of what was signed.
        </p>
      )}
      {facts?.isRequest === false && (
        <p class="note wait">
          The signed hash of the request could not be made again from the facts, so the name of the
          merchant and what the agent said of the payment are not verified. The request may have
          been spelled otherwise than it is kept, or have been changed since.
        </p>
      )}
      {isConfirmed && (
        <p class="note wait">
          What is signed is the approval by a human. Why a human was asked is on record, and not
          part of it.
        </p>
      )}
      <p class="quiet">
        Not signed, and not verified here: what was used of the limits, the thresholds, the past of
        the agent, the states of agent, Principal and Program, and what became of the decision. Who
        runs the service can hold them against the log with <code>npm run verify-log</code>.
      </p>
    </>
  );
}

/** A denial and an expiry are on record, but not signed. */
export function Denied({ entry }: { entry: Entry }) {
  if (!deniedChallenge(entry)) return null;
  return (
    <p class="note wait">
      What is signed is the step-up before a human answered. The decline of{' '}
      <Moment at={entry.decision_history.at(-1)?.at ?? null} /> is on record, but a denial is not
      signed.
    </p>
  );
}

import type { Attestation, Entry, Explanation, KeySet, PublicKeys } from '../../api/shapes.js';
import {
  type Comparison,
  compareClaims,
  deniedChallenge,
  signedAt,
} from '../../attestation/compare.js';
import { type Signature, verifySignature } from '../../attestation/verify.js';
import { Foreign } from '../../parts/foreign.js';
import { Loaded, type Resource, useResource } from '../../parts/resource.js';
import { Section, useDesk } from '../../parts/screen.js';
import { type Column, Table } from '../../parts/table.js';
import { Moment } from '../../parts/values.js';

interface Props {
  entry: Entry;
  explanation: Resource<Explanation>;
}

export function AttestationSection({ entry, explanation }: Props) {
  return (
    <Section title="Attestation">
      {entry.attestation ? (
        <Checked entry={entry} attestation={entry.attestation} explanation={explanation} />
      ) : (
        <p class="note">
          This decision is not signed: the agent was unknown, the decision failed safe, or signing
          was off.
        </p>
      )}
    </Section>
  );
}

interface Finding {
  signature: Signature;
  issuer: string;
}

/** Checked in this browser, against the keys that the service publishes at this moment. */
function Checked({ entry, attestation, explanation }: Props & { attestation: Attestation }) {
  const { api } = useDesk();
  const [finding] = useResource(`attestation ${attestation.jws}`, async (signal) => {
    const [keySet, publicKeys] = await Promise.all([
      api.get<KeySet>('/.well-known/jwks.json', signal),
      api.get<PublicKeys>('/public-keys', signal),
    ]);
    const signature = await verifySignature(attestation, { keySet, publicKeys });
    return { signature, issuer: publicKeys.issuer } satisfies Finding;
  });
  // With or without its facts a signature can be checked; only less can be compared.
  const facts = explanation.state === 'done' ? explanation.value : null;
  if (explanation.state === 'loading') return <p class="quiet">Reading…</p>;
  return (
    <>
      <Loaded of={finding}>
        {(found) => <Result finding={found} entry={entry} explanation={facts} />}
      </Loaded>
      <details>
        <summary>The token itself, for a verifier of your own</summary>
        <p class="wrap mono">{attestation.jws}</p>
      </details>
    </>
  );
}

interface ResultProps {
  finding: Finding;
  entry: Entry;
  explanation: Explanation | null;
}

function Result({ finding: { signature, issuer }, entry, explanation }: ResultProps) {
  const { session } = useDesk();
  if (signature.state !== 'valid') return <NotValid signature={signature} />;
  const { claims, kid, keyEnvironment } = signature;
  const shown = { entry, environment: session.environment, keyEnvironment, issuer, explanation };
  const comparisons = compareClaims(claims, shown);
  const differing = comparisons.filter(({ same }) => !same);
  return (
    <>
      {differing.length === 0 ? (
        <p class="note good" role="status">
          <strong>Valid.</strong> The service signed this decision, and {comparisons.length} of its
          claims were compared: they are shown as they were signed.
        </p>
      ) : (
        <p class="note bad" role="alert">
          <strong>Not what was signed.</strong> The signature is genuine, but this page shows
          something else than it covers: {differing.map(({ name }) => name).join(', ')}.
        </p>
      )}
      <p>
        Signed <Moment at={signedAt(claims)} /> with the key <code class="wrap">{kid}</code>
      </p>
      <Denied entry={entry} />
      <details open={differing.length > 0}>
        <summary>What was compared</summary>
        <Table
          caption="Signed claims and what is shown"
          rows={comparisons}
          keyOf={({ name }) => name}
          columns={columns}
          empty=""
        />
      </details>
    </>
  );
}

const columns: ReadonlyArray<Column<Comparison>> = [
  { head: 'Claim', cell: ({ name }) => <code>{name}</code> },
  { head: 'Signed', cell: ({ signed }) => <Foreign text={signed || null} /> },
  { head: 'Shown', cell: ({ shown }) => <Foreign text={shown || null} /> },
  { head: 'Same', cell: ({ same }) => (same ? 'yes' : <strong class="bad">no</strong>) },
];

function NotValid({ signature }: { signature: Exclude<Signature, { state: 'valid' }> }) {
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

/** A denial and an expiry are on record, but not signed. */
function Denied({ entry }: { entry: Entry }) {
  if (!deniedChallenge(entry)) return null;
  return (
    <p class="note wait">
      What is signed is the step-up before a human answered. The decline of{' '}
      <Moment at={entry.decision_history.at(-1)?.at ?? null} /> is on record, but a denial is not
      signed.
    </p>
  );
}

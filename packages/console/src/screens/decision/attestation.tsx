import type { Attestation, Entry, Explanation, KeySet, PublicKeys } from '../../api/shapes.js';
import { compareClaims, type Shown } from '../../attestation/compare.js';
import { type Comparison, isConfirmation, signedAt } from '../../attestation/comparison.js';
import { rehashed } from '../../attestation/facts.js';
import { type Signature, verifySignature } from '../../attestation/verify.js';
import { Foreign } from '../../parts/foreign.js';
import { Loaded, type Resource, useResource } from '../../parts/resource.js';
import { Section, useDesk } from '../../parts/screen.js';
import { type Column, Table } from '../../parts/table.js';
import { Moment } from '../../parts/values.js';
import { Denied, NotValid, NotVerified } from './attestation-notes.js';

interface Props {
  entry: Entry;
  explanation: Resource<Explanation>;
}

export function AttestationSection({ entry, explanation }: Props) {
  return (
    <Section title="Attestation">
      {entry.attestation ? (
        <WithFacts entry={entry} attestation={entry.attestation} explanation={explanation} />
      ) : (
        <p class="note">
          This decision is not signed: the agent was unknown, the decision failed safe, or signing
          was disabled.
        </p>
      )}
    </Section>
  );
}

interface Finding {
  signature: Signature;
  issuer: string;
  facts: Shown['facts'];
}

interface CheckedProps {
  entry: Entry;
  attestation: Attestation;
  /** Null if it could not be loaded: the signature can still be verified, but less is compared. */
  explanation: Explanation | null;
}

/** Verified in this browser, against the keys that the service currently publishes. */
function Checked({ entry, attestation, explanation }: CheckedProps) {
  const { api } = useDesk();
  const [finding, checkAgain] = useResource(`attestation ${attestation.jws}`, async (signal) => {
    const [keySet, publicKeys] = await Promise.all([
      api.get<KeySet>('/.well-known/jwks.json', signal),
      api.get<PublicKeys>('/public-keys', signal),
    ]);
    const signature = await verifySignature(attestation, { keySet, publicKeys });
    const facts =
      explanation && signature.state === 'valid'
        ? { explanation, ...(await rehashed(signature.claims, explanation)) }
        : null;
    return { signature, issuer: publicKeys.issuer, facts } satisfies Finding;
  });
  return (
    <>
      <Loaded of={finding} onAgain={checkAgain}>
        {(found) => <Result finding={found} entry={entry} />}
      </Loaded>
      <details>
        <summary>Signed token, for your own verifier</summary>
        <p class="wrap mono">{attestation.jws}</p>
      </details>
    </>
  );
}

function WithFacts({ explanation, ...rest }: Props & { attestation: Attestation }) {
  if (explanation.state === 'loading') return <p class="quiet">Reading…</p>;
  const known = explanation.state === 'done' ? explanation.value : null;
  return <Checked {...rest} explanation={known} />;
}

interface ResultProps {
  finding: Finding;
  entry: Entry;
}

function Result({ finding: { signature, issuer, facts }, entry }: ResultProps) {
  const { session } = useDesk();
  if (signature.state !== 'valid') return <NotValid signature={signature} />;
  const { claims, kid, keyEnvironment } = signature;
  const shown = { entry, environment: session.environment, keyEnvironment, issuer, facts };
  const comparisons = compareClaims(claims, shown);
  const differing = comparisons.filter(({ same }) => !same);
  return (
    <>
      {differing.length === 0 ? (
        <p class="note good" role="status">
          <strong>Valid.</strong> The service signed this decision. {comparisons.length} claims were
          compared with this page, and all of them match.
        </p>
      ) : (
        <p class="note bad" role="alert">
          <strong>Does not match the signature.</strong> The signature is genuine, but this page
          shows different values for: {differing.map(({ name }) => name).join(', ')}.
        </p>
      )}
      <p>
        Signed <Moment at={signedAt(claims)} /> with the key <code class="wrap">{kid}</code>
      </p>
      <Denied entry={entry} />
      <NotVerified facts={facts} isConfirmed={isConfirmation(claims)} />
      <details open={differing.length > 0}>
        <summary>Compared claims</summary>
        <Table
          caption="Signed claims and shown values"
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

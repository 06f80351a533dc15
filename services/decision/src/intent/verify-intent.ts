import { hash } from 'node:crypto';
import type { Agreement } from './agreement.js';
import { examineAutonomous } from './autonomous.js';
import { digestOf } from './base64url.js';
import type { Examination } from './examination.js';
import { Findings } from './findings.js';
import { examineImmediate } from './immediate.js';
import { examineRoot, type Root } from './layers/l1.js';
import { examineGrant, type Grant } from './layers/l2.js';
import { skewSeconds } from './lifetime.js';
import { mandateKey } from './mandate-key.js';
import { readParts } from './parts.js';
import type {
  IntentChain,
  IntentClaim,
  IntentSubject,
  IntentSurroundings,
  IntentVerdict,
} from './shape.js';
import { examineTransaction } from './transaction.js';

/** The results of the layers up to the one at which verification stopped. */
interface Examined {
  root?: Root;
  grant?: Grant;
  agreement?: Agreement | null;
}

/** Verifies everything about a chain that needs no state. Returns a verdict for any input. */
export function verifyIntent(
  chain: IntentChain,
  subject: IntentSubject,
  surroundings: IntentSurroundings,
): IntentVerdict {
  const findings = new Findings();
  let examined: Examined = {};
  try {
    examined = examine(chain, { subject, surroundings, findings });
  } catch {
    findings.add('VI_CHAIN_MALFORMED', 'the chain cannot be read');
  }
  const { codes } = findings;
  const claim = claimOf(examined, { codes, agentDid: surroundings.agentDid });
  return {
    verified: codes.length === 0 && claim !== null,
    mode: examined.grant?.mode ?? null,
    codes,
    details: findings.details,
    claim,
    evidence: evidenceOf(chain, examined),
  };
}

function examine(chain: IntentChain, examination: Examination): Examined {
  const { findings } = examination;
  const parts = readParts(chain, findings);
  if (!parts) return {};
  const root = examineRoot(parts.l1, examination) ?? undefined;
  const grant = (root && examineGrant(parts.l2, root, examination)) ?? undefined;
  if (!root || !grant) return { root };
  const agreement =
    grant.mode === 'IMMEDIATE'
      ? examineImmediate(grant, root, { ...examination, chain })
      : examineAutonomous(grant, parts, examination);
  if (agreement) examinePayment(agreement, root, examination);
  return { root, grant, agreement };
}

function examinePayment({ payment }: Agreement, root: Root, examination: Examination): void {
  const { findings } = examination;
  if (!payment) return;
  const onCard = root.cardId === null || root.cardId === payment.instrument.id;
  const detail = 'the payment instrument is not the card of l1';
  findings.expect(onCard, 'VI_BINDING_INVALID', detail);
  examineTransaction(payment, examination);
}

/**
 * Codes of a chain that may be forged or stolen: it must not consume the rightful agent's mandate.
 */
const unclaimable = ['VI_SIGNATURE_INVALID', 'VI_AGENT_KEY_MISMATCH', 'VI_AUDIENCE_MISMATCH'];

function claimOf(
  { root, grant, agreement }: Examined,
  { codes, agentDid }: { codes: string[]; agentDid: string },
): IntentClaim | null {
  if (!root || !grant || !agreement?.payment || grant.expiresAt === null) return null;
  const { payment, nonce, nonceExpiresAt, signerThumbprint, terms, paymentDigest } = agreement;
  if (nonce === null || nonceExpiresAt === null) return null;
  if (codes.some((code) => unclaimable.includes(code))) return null;
  const unproven = codes.includes('VI_AGENT_KEY_NOT_REGISTERED');
  const counted = (name: string): string => (unproven ? separateName(name, agentDid) : name);
  return {
    signerThumbprint: counted(signerThumbprint),
    nonce,
    nonceExpiresAt: afterSkew(nonceExpiresAt),
    issuer: root.issuer,
    subject: root.subject,
    userKeyThumbprint: root.userKey.thumbprint,
    mandateKey: counted(mandateKey(grant.credential, paymentDigest)),
    amountMinor: payment.amount,
    currency: payment.currency,
    maxOccurrences: terms.maxOccurrences,
    budgetMinor: terms.budgetMinor,
  };
}

/**
 * An agent without a registered key cannot prove that the presentation is its own. What a human
 * then approves is counted under a separate name, so that it uses up nothing of the rightful
 * agent.
 */
function separateName(name: string, agentDid: string): string {
  return hash('sha256', `${name}|${agentDid}`, 'hex');
}

function afterSkew(expiresAt: number): number {
  return (expiresAt + skewSeconds) * 1_000;
}

function evidenceOf(chain: IntentChain, { root, grant, agreement }: Examined) {
  const l2Hash = digestOf(chain.l2);
  const l3Hash = chain.l3Payment === undefined ? null : digestOf(chain.l3Payment);
  return {
    l1Hash: digestOf(chain.l1),
    l2Hash,
    l3Hash,
    issuer: root?.issuer ?? null,
    subject: root?.subject ?? null,
    reference: grant ? referenceOf(grant, { l2Hash, l3Hash }) : null,
    transactionRef: agreement?.payment?.transactionId ?? null,
  };
}

/** The reference to the presentation that AP2 puts into a receipt. */
function referenceOf(
  { mode }: Grant,
  { l2Hash, l3Hash }: { l2Hash: string; l3Hash: string | null },
): string | null {
  return mode === 'IMMEDIATE' ? l2Hash : l3Hash;
}

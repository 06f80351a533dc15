import { isoTime } from '@countersign/kernel/clock';
import type { CommitRequestInput } from '@countersign/proto/ledger';
import type { Facts, IntentFacts } from '../facts/shape.js';

type Presentation = NonNullable<CommitRequestInput['intent']>;

/** The part of a vi_chain that the ledger checks and stores; null if none was verified. */
export function intentPresentation(
  { intent, intentState = [] }: Facts,
  chainJson: string | undefined,
): Presentation | null {
  if (!intent || chainJson === undefined) return null;
  const claim = claimOf(intent);
  return { chainJson, codes: intentState, ...(claim && { claim }) };
}

function claimOf({ claim, subjectBinding }: IntentFacts): Presentation['claim'] | null {
  if (!claim || !subjectBinding) return null;
  const { signerThumbprint, nonce, issuer, subject, userKeyThumbprint, mandateKey } = claim;
  return {
    ...{ signerThumbprint, nonce, issuer, subject, userKeyThumbprint, mandateKey, subjectBinding },
    nonceExpiresAt: isoTime(claim.nonceExpiresAt),
    amountMinor: String(claim.amountMinor),
    currency: claim.currency,
    ...(claim.maxOccurrences !== null && { maxOccurrences: String(claim.maxOccurrences) }),
    ...(claim.budgetMinor !== null && { budgetMinor: String(claim.budgetMinor) }),
  };
}

import type { Cipher } from '@countersign/kernel/cipher';
import type { CommitRequest, IntentClaim, IntentPresentation } from '@countersign/proto/ledger';

/** What a proposal that came with a vi_chain is sent with, besides what every proposal is. */
export interface IntentPart {
  /** Of the mandate that the chain uses; null where its signatures do not hold. */
  mandateKey: string | null;
  /** The last parameters of commit_with_intent. */
  values: readonly unknown[];
}

const wholeNumber = /^(0|[1-9]\d{0,37})$/;
const bindings: ReadonlySet<string> = new Set(['explicit', 'tofu']);

/** What makes a claim a contradiction, and so a mistake of ours; null where nothing does. */
export function intentProblem(claim: IntentClaim): string | null {
  const { signerThumbprint, nonce, mandateKey, issuer, subject, subjectBinding } = claim;
  const texts = [signerThumbprint, nonce, mandateKey, issuer, subject, claim.currency];
  if (texts.includes('')) return 'a claim of intent lacks a part';
  if (!bindings.has(subjectBinding)) return 'subject_binding is unknown';
  const { amountMinor, maxOccurrences = '0', budgetMinor = '0', nonceExpiresAt } = claim;
  const numbers = [amountMinor, maxOccurrences, budgetMinor];
  if (!numbers.every((number) => wholeNumber.test(number))) return 'a claim of intent in fractions';
  return Number.isNaN(Date.parse(nonceExpiresAt)) ? 'a nonce without an end' : null;
}

export function intentPart(
  request: CommitRequest,
  { chainJson, claim, codes }: IntentPresentation,
  cipher: Cipher,
): IntentPart {
  const sealed = cipher.seal(chainJson, evidencePlace(request.authorizationId));
  return {
    mandateKey: claim?.mandateKey ?? null,
    values: [
      claim ? JSON.stringify(useRow(request, claim)) : null,
      claim ? JSON.stringify(nonceRow(request, claim)) : null,
      codes,
      sealed.bytes,
      sealed.keyId,
    ],
  };
}

/** What the sealed chain belongs to: it does not open for another authorization. */
export function evidencePlace(authorizationId: string): string {
  return `vi_chain ${authorizationId}`;
}

function useRow({ authorizationId, principalId, decidedAt }: CommitRequest, claim: IntentClaim) {
  return {
    authorization_id: authorizationId,
    mandate_key: claim.mandateKey,
    principal_id: principalId,
    issuer: claim.issuer,
    subject: claim.subject,
    user_key_thumbprint: claim.userKeyThumbprint,
    subject_binding: claim.subjectBinding,
    amount_minor: claim.amountMinor,
    currency: claim.currency,
    max_occurrences: claim.maxOccurrences ?? null,
    budget_minor: claim.budgetMinor ?? null,
    created_at: decidedAt,
  };
}

function nonceRow({ authorizationId }: CommitRequest, claim: IntentClaim) {
  return {
    signer_thumbprint: claim.signerThumbprint,
    nonce: claim.nonce,
    expires_at: claim.nonceExpiresAt,
    authorization_id: authorizationId,
  };
}

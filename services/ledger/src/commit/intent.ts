import type { Cipher } from '@countersign/kernel/cipher';
import type { CommitRequest, IntentClaim, IntentPresentation } from '@countersign/proto/ledger';

/** The additional parts of a proposal with a vi_chain. */
export interface IntentPart {
  /** The key of the mandate that the chain uses; null if its signatures are not valid. */
  mandateKey: string | null;
  /** The additional parameters of commit_with_intent. */
  values: readonly unknown[];
}

const wholeNumber = /^(0|[1-9]\d{0,37})$/;
const bindings: ReadonlySet<string> = new Set(['explicit', 'tofu']);

/** Why a claim is invalid, which is a bug of its sender; null if it is valid. */
export function intentProblem(claim: IntentClaim): string | null {
  const { signerThumbprint, nonce, mandateKey, issuer, subject, subjectBinding } = claim;
  const texts = [signerThumbprint, nonce, mandateKey, issuer, subject, claim.currency];
  if (texts.includes('')) return 'a field of the intent claim is empty';
  if (!bindings.has(subjectBinding)) return 'subject_binding is unknown';
  const { amountMinor, maxOccurrences = '0', budgetMinor = '0', nonceExpiresAt } = claim;
  const numbers = [amountMinor, maxOccurrences, budgetMinor];
  if (!numbers.every((number) => wholeNumber.test(number)))
    return 'an amount of the intent claim is not a whole number';
  return Number.isNaN(Date.parse(nonceExpiresAt)) ? 'nonce_expires_at is not a time' : null;
}

export function intentPart(
  request: CommitRequest,
  { chainJson, claim, codes }: IntentPresentation,
  cipher: Cipher,
): IntentPart {
  const sealed = cipher.seal(chainJson, evidenceContext(request.authorizationId));
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

/** The encryption context, which binds the encrypted chain to its authorization. */
export function evidenceContext(authorizationId: string): string {
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

import { isoTime } from '@countersign/kernel/clock';
import { newId } from '@countersign/kernel/id';
import type { CommitRequest, CommitResponse, IntentClaim } from '@countersign/proto/ledger';
import { answerTemplate } from './answers.js';
import { callOf, type Ledger, proposalOf, retryUnavailable, type Spender } from './fixture.js';

/** A claim of one use, as the verifier of the decision service would derive it from a chain. */
export function claimOf(given: Partial<IntentClaim> = {}): IntentClaim {
  return {
    signerThumbprint: 'signer',
    nonce: newId('event'),
    nonceExpiresAt: isoTime(Date.now() + 300_000),
    issuer: 'https://issuer.example',
    subject: 'user-1',
    userKeyThumbprint: 'user-key',
    subjectBinding: 'tofu',
    mandateKey: newId('event'),
    amountMinor: '1000',
    currency: 'USD',
    ...given,
  };
}

const generous = { dailyAmount: '100000.00' };

/** A proposal of an APPROVE of 10.00 USD with a chain. */
export function presented(
  spender: Spender,
  claim: IntentClaim | undefined,
  given: Partial<CommitRequest> = {},
): CommitRequest {
  const chainJson = '{"l1":"root~","l2":"mandates~"}';
  const intent = { chainJson, codes: [], ...(claim && { claim }) };
  return proposalOf(spender, { limits: generous, viVerified: true, intent, ...given });
}

/** Proposes repeatedly as the decision service does. Returns the codes of the decline. */
export async function decideIntent(
  ledger: Ledger,
  request: CommitRequest,
): Promise<CommitResponse & { codes: string[] }> {
  let proposal = request;
  for (let round = 0; round < 20; round += 1) {
    const response = await retryUnavailable(
      () => ledger.handlers.Commit(proposal, callOf(ledger)),
      ['unavailable', 'deadline'],
    );
    if (response.outcome !== 'intent_differs') {
      return { ...response, codes: proposal.intent?.codes ?? [] };
    }
    proposal = judgedBy(request, response.intentCodes);
  }
  throw new Error('the state and the judgement never agreed');
}

/** The next proposal of the decision service after the ledger returned these codes. */
export function judgedBy(request: CommitRequest, codes: string[]): CommitRequest {
  if (!request.intent || codes.length === 0) return request;
  return {
    ...request,
    decision: 'DECLINE',
    reasonCodes: codes,
    viVerified: false,
    intent: { ...request.intent, codes },
    answerTemplate: answerTemplate(request.authorizationId, 'DECLINE'),
  };
}

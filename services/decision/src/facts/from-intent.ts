import { issuerOf } from '@countersign/kernel/attestation';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Budget } from '../budget.js';
import type { Context } from '../context.js';
import { readIssuer } from '../intent/read-issuer.js';
import type { IntentChain, IntentSubject } from '../intent/shape.js';
import { verifyIntent } from '../intent/verify-intent.js';
import { type FoundIssuer, type TrustedIssuers, untrusted } from '../issuer/trusted-issuers.js';
import type { ResolvedAgent } from './from-identity.js';
import type { IntentFacts, PaymentFacts } from './shape.js';

interface Presented {
  call: Call;
  budget: Budget;
  payment: PaymentFacts;
  chainJson: string;
}

/** The shape that the gateway has validated. */
interface SentChain {
  l1: string;
  l2: string;
  l3_payment?: string;
  l3_checkout?: string;
  l2_checkout?: string;
}

/**
 * Verifies the vi_chain as far as that needs no state; the ledger checks the rest when it commits.
 */
export async function intentFacts(
  { config, issuers }: Pick<Context, 'config' | 'issuers'>,
  { call, budget, payment, chainJson }: Presented,
  { known, decidedAt }: { known: ResolvedAgent; decidedAt: string },
): Promise<IntentFacts> {
  const { environment } = call;
  const chain = chainOf(JSON.parse(chainJson) as SentChain);
  const { issuer, subjectBinding } = await found(issuers[environment], chain, budget);
  const verdict = verifyIntent(chain, intentSubject(payment), {
    now: Date.parse(decidedAt),
    issuer,
    agentKeyThumbprint: known.intentKeyThumbprint,
    agentDid: known.agent.did,
    audiences: [issuerOf(config.baseUrl, environment), ...config.viAudience],
  });
  return { ...verdict, subjectBinding };
}

/** Keys that do not arrive in time count as unavailable; the fetch goes on for later payments. */
async function found(
  issuers: TrustedIssuers,
  chain: IntentChain,
  budget: Budget,
): Promise<FoundIssuer> {
  const named = readIssuer(chain);
  if (!named) return untrusted;
  const late: FoundIssuer = { issuer: { state: 'unavailable' }, subjectBinding: null };
  return budget.within('issuer', issuers.find(named)).catch(() => late);
}

function chainOf(sent: SentChain): IntentChain {
  return {
    l1: sent.l1,
    l2: sent.l2,
    ...(sent.l3_payment !== undefined && { l3Payment: sent.l3_payment }),
    ...(sent.l3_checkout !== undefined && { l3Checkout: sent.l3_checkout }),
    ...(sent.l2_checkout !== undefined && { l2Checkout: sent.l2_checkout }),
  };
}

function intentSubject(payment: PaymentFacts): IntentSubject {
  const { amount, currency, merchantId, merchantName, mcc, country, crypto } = payment;
  return { amount, currency, merchantId, merchantName, mcc, country, crypto };
}

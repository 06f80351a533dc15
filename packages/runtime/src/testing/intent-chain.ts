import { randomUUID } from 'node:crypto';
import { type ChainTerms, chainTerms } from './chain-terms.js';
import { type Disclosed, digest, disclosed, presented, signedJwt } from './sd-jwt.js';

export interface BuiltChain {
  chain: {
    l1: string;
    l2: string;
    l3Payment?: string;
    l3Checkout?: string;
    l2Checkout?: string;
  };
  /** As `vi_chain` of a request. */
  viChain: Record<string, string>;
  terms: ChainTerms;
  /** Digests of the mandates in L2. */
  paymentDigest: string;
  checkoutDigest: string;
}

const hour = 3_600;

/** A chain in which the user agreed to this very payment. */
export function immediateChain(given: Partial<ChainTerms> = {}): BuiltChain {
  const terms = chainTerms(given);
  const checkout = disclosed(finalCheckout(terms, terms.edits.checkoutMandate));
  const payment = disclosed(finalPayment(terms, terms.edits.paymentMandate));
  const more = (terms.edits.moreMandates ?? []).map((mandate) => disclosed(mandate));
  const l1 = rootOf(terms);
  const mandates = [checkout, payment, ...more];
  const jwt = grantOf(terms, { l1, typ: 'kb-sd-jwt', life: 600, mandates, nested: [] });
  return built(terms, { l1, l2: presented(jwt, mandates) }, { payment, checkout });
}

/** A chain in which the user set limits and the agent pays within them. */
export function autonomousChain(given: Partial<ChainTerms> = {}): BuiltChain {
  const terms = chainTerms(given);
  const { edits, keys } = terms;
  const shown = terms.payees.shown.map((entry) => disclosed(entry));
  const withheld = terms.payees.withheld.map((entry) => disclosed(entry));
  const nested = [...shown, ...withheld];
  const checkout = disclosed({
    vct: 'mandate.checkout.open.1',
    cnf: { jwk: { ...keys.agent.jwk, kid: keys.agent.kid } },
    constraints: terms.checkoutConstraints,
    ...edits.checkoutMandate,
  });
  const payment = disclosed(openPayment(terms, { nested, checkout }));
  const more = (edits.moreMandates ?? []).map((mandate) => disclosed(mandate));
  const l1 = rootOf(terms);
  const mandates = [checkout, payment, ...more];
  const jwt = grantOf(terms, { l1, typ: 'kb-sd-jwt+kb', life: 24 * hour, mandates, nested });
  const l2 = presented(jwt, [payment, ...shown, ...more]);
  const l3Payment = fulfilmentOf(terms, {
    view: l2,
    mandate: finalPayment(terms),
    edit: 'l3Payment',
  });
  if (!terms.withCheckout) return built(terms, { l1, l2, l3Payment }, { payment, checkout });
  const l2Checkout = presented(jwt, [checkout]);
  const mandate = finalCheckout(terms);
  const l3Checkout = fulfilmentOf(terms, { view: l2Checkout, mandate, edit: 'l3Checkout' });
  const chain = { l1, l2, l3Payment, l3Checkout, l2Checkout };
  return built(terms, chain, { payment, checkout });
}

/** The agent presents the same mandate of its user again. */
export function presentedAgain({ chain: { l1, l2 }, terms: given }: BuiltChain) {
  const terms = { ...given, now: Date.now() };
  const mandate = finalPayment(terms);
  return { l1, l2, l3_payment: fulfilmentOf(terms, { view: l2, mandate, edit: 'l3Payment' }) };
}

function openPayment(
  { keys, constraints, instrument, edits }: ChainTerms,
  { nested, checkout }: { nested: Disclosed[]; checkout: Disclosed },
): object {
  const allowed = nested.map((entry) => ({ '...': entry.digest }));
  return {
    vct: 'mandate.payment.open.1',
    cnf: { jwk: { ...keys.agent.jwk, kid: keys.agent.kid } },
    constraints: [
      ...(allowed.length > 0 ? [{ type: 'mandate.payment.allowed_payees', allowed }] : []),
      ...constraints,
      { type: 'mandate.payment.reference', conditional_transaction_id: checkout.digest },
    ],
    payment_instrument: instrument,
    ...edits.paymentMandate,
  };
}

function finalPayment(terms: ChainTerms, edit = terms.edits.finalPayment): object {
  return {
    vct: 'mandate.payment.1',
    transaction_id: digest(terms.checkoutJwt),
    payee: terms.payee,
    payment_amount: { currency: terms.currency, amount: terms.amountMinor },
    payment_instrument: terms.instrument,
    ...edit,
  };
}

function finalCheckout(terms: ChainTerms, edit = terms.edits.finalCheckout): object {
  return {
    vct: 'mandate.checkout.1',
    checkout_jwt: terms.checkoutJwt,
    checkout_hash: digest(terms.checkoutJwt),
    line_items: terms.lineItems,
    ...edit,
  };
}

function rootOf({ now, keys, issuer, subject, vct, edits }: ChainTerms): string {
  const iat = Math.floor(now / 1_000) - hour;
  const email = disclosed('user@user.example', 'email');
  const payload = {
    iss: issuer,
    sub: subject,
    iat,
    exp: iat + 30 * 24 * hour,
    vct,
    cnf: { jwk: keys.user.jwk },
    _sd: [email.digest],
    _sd_alg: 'sha-256',
  };
  const header = { alg: 'ES256', typ: 'sd+jwt', kid: keys.issuer.kid };
  return presented(signedJwt({ header, payload, key: keys.issuer }, edits.l1), [email]);
}

interface Grant {
  l1: string;
  typ: string;
  /** Seconds. */
  life: number;
  mandates: Disclosed[];
  nested: Disclosed[];
}

/** Digests appear in `_sd` as well as in place, as in the published test vectors. */
function grantOf(terms: ChainTerms, { l1, typ, life, mandates, nested }: Grant): string {
  const { now, keys, l2Audience, edits } = terms;
  const iat = Math.floor(now / 1_000) - 10;
  const payload = {
    nonce: randomUUID(),
    aud: l2Audience,
    iat,
    exp: iat + life,
    sd_hash: digest(l1),
    delegate_payload: mandates.map((mandate) => ({ '...': mandate.digest })),
    _sd_alg: 'sha-256',
    _sd: [...nested, ...mandates].map((each) => each.digest),
    iss: 'https://wallet.example',
  };
  const header = { alg: 'ES256', typ, kid: keys.user.kid };
  return signedJwt({ header, payload, key: keys.user }, edits.l2);
}

function fulfilmentOf(
  { now, keys, audience, edits }: ChainTerms,
  { view, mandate, edit }: { view: string; mandate: object; edit: 'l3Payment' | 'l3Checkout' },
): string {
  const iat = Math.floor(now / 1_000) - 5;
  const final = disclosed(mandate);
  const payload = {
    nonce: randomUUID(),
    aud: edit === 'l3Payment' ? audience : 'https://corner.example',
    iat,
    exp: iat + 300,
    sd_hash: digest(view),
    delegate_payload: [{ '...': final.digest }],
    _sd_alg: 'sha-256',
    iss: 'https://agent.example',
  };
  const header = { alg: 'ES256', typ: 'kb-sd-jwt', kid: keys.agent.kid };
  return presented(signedJwt({ header, payload, key: keys.agent }, edits[edit]), [final]);
}

function built(
  terms: ChainTerms,
  chain: BuiltChain['chain'],
  { payment, checkout }: { payment: Disclosed; checkout: Disclosed },
): BuiltChain {
  const viChain: Record<string, string> = { l1: chain.l1, l2: chain.l2 };
  if (chain.l3Payment !== undefined) viChain.l3_payment = chain.l3Payment;
  if (chain.l3Checkout !== undefined) viChain.l3_checkout = chain.l3Checkout;
  if (chain.l2Checkout !== undefined) viChain.l2_checkout = chain.l2Checkout;
  const digests = { paymentDigest: payment.digest, checkoutDigest: checkout.digest };
  return { chain, viChain, terms, ...digests };
}

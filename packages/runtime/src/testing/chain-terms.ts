import { randomUUID } from 'node:crypto';
import { type ChainKey, type Edit, newChainKey, signedJwt } from './sd-jwt.js';

interface ChainKeys {
  issuer: ChainKey;
  user: ChainKey;
  agent: ChainKey;
}

export function newChainKeys(): ChainKeys {
  const [issuer, user, agent] = [newChainKey('iss-1'), newChainKey('usr-1'), newChainKey('agt-1')];
  return { issuer, user, agent };
}

/** The content of a chain; everything has a default that verifies at `now`. */
export interface ChainTerms {
  /** Epoch milliseconds. */
  now: number;
  keys: ChainKeys;
  issuer: string;
  subject: string;
  vct: string;
  /** `aud` of L2 and of L3. */
  audience: string;
  l2Audience: string;
  amountMinor: number;
  currency: string;
  payee: Record<string, unknown>;
  instrument: Record<string, unknown>;
  /** Constraints of the open payment mandate, besides the reference to its checkout. */
  constraints: object[];
  checkoutConstraints: object[];
  /** Elements of allow-lists that L2 keeps as digests; `shown` is disclosed to this service. */
  payees: { shown: object[]; withheld: object[] };
  checkoutJwt: string;
  lineItems: unknown;
  /** Whether L3 and L2 of the checkout are presented as well. */
  withCheckout: boolean;
  edits: ChainEdits;
}

/** Overrides of single members, applied before anything is hashed or signed. */
interface ChainEdits {
  l1?: Edit;
  l2?: Edit;
  l3Payment?: Edit;
  l3Checkout?: Edit;
  /** The mandate in L2: open, or final in an immediate chain. */
  paymentMandate?: object;
  checkoutMandate?: object;
  /** The mandates that the agent signs. */
  finalPayment?: object;
  finalCheckout?: object;
  /** Additional disclosures of L2, which its delegate_payload references. */
  moreMandates?: object[];
}

const merchant = { id: 'm-1001', name: 'Corner shop', website: 'https://corner.example' };
export function chainTerms(given: Partial<ChainTerms> = {}): ChainTerms {
  const audience = given.audience ?? 'https://countersign.example';
  return {
    now: Date.now(),
    keys: given.keys ?? newChainKeys(),
    issuer: 'https://issuer.example',
    subject: 'user-1',
    vct: 'https://credentials.mastercard.com/card',
    audience,
    l2Audience: audience,
    amountMinor: 1_000,
    currency: 'USD',
    payee: merchant,
    instrument: { type: 'card', id: 'card-1' },
    constraints: [{ type: 'mandate.payment.amount_range', currency: 'USD', max: 100_000 }],
    checkoutConstraints: [{ type: 'mandate.checkout.allowed_merchants', allowed: [merchant] }],
    payees: { shown: [merchant], withheld: [] },
    checkoutJwt: checkoutOf({ id: 'm-1001' }),
    lineItems: undefined,
    withCheckout: false,
    edits: {},
    ...given,
  };
}

/** A document that a merchant would sign; its signature is not verified. */
export function checkoutOf(cart: object): string {
  const payload = { ...cart, total: 10.5, nonce: randomUUID() };
  return signedJwt({ header: { alg: 'ES256' }, payload, key: newChainKey('m-1') });
}

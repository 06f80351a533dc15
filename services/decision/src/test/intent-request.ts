import type { BuiltChain } from '@countersign/runtime/testing/intent-chain';
import type { IntentSubject, IntentSurroundings } from '../intent/shape.js';
import { verifyIntent } from '../intent/verify-intent.js';

/** Verifies a chain with the request and surroundings for which the default chain is valid. */
export interface Asked {
  subject?: Partial<IntentSubject>;
  surroundings?: Partial<IntentSurroundings>;
}

export function verified(built: Pick<BuiltChain, 'chain' | 'terms'>, asked: Asked = {}) {
  const { terms, chain } = built;
  return verifyIntent(
    chain,
    {
      amount: '10.00',
      currency: 'USD',
      merchantId: 'm-1001',
      merchantName: 'Corner shop',
      mcc: '5411',
      country: 'USA',
      crypto: null,
      ...asked.subject,
    },
    {
      now: terms.now,
      issuer: { state: 'found', jwk: terms.keys.issuer.jwk, vct: [terms.vct] },
      agentKeyThumbprint: terms.keys.agent.thumbprint,
      agentDid: 'did:example:agent',
      audiences: ['https://countersign.example'],
      ...asked.surroundings,
    },
  );
}

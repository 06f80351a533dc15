import { Metrics } from '@countersign/runtime/metrics';
import { type ChainTerms, newChainKeys } from '@countersign/runtime/testing/chain-terms';
import { autonomousChain, immediateChain } from '@countersign/runtime/testing/intent-chain';
import { test } from 'tap';
import { decisionMetrics } from '../decision-metrics.js';
import { newAgentIds } from '../test/decision-service.js';
import { factsOf } from '../test/facts.js';
import { spendingFacts } from '../test/fake-identity.js';
import { intentFacts } from './from-intent.js';

type Context = Parameters<typeof intentFacts>[0];
type Presented = Parameters<typeof intentFacts>[1];
type Resolved = Parameters<typeof intentFacts>[2];

const decidedAt = '2026-11-23T12:00:00.000Z';
const keys = newChainKeys();
const given = { now: Date.parse(decidedAt), keys };
const bought = { merchantId: 'm-1001', merchantName: 'Corner shop' };

interface Changes {
  environment?: 'live' | 'sandbox';
  payment?: object;
  thumbprint?: string | null;
  isLate?: boolean;
}

/** The facts about a chain of a payment in live for which the default chain is valid. */
function factsAbout(built: ReturnType<typeof autonomousChain>, changes: Changes = {}) {
  const { environment = 'live', payment, thumbprint = keys.agent.thumbprint, isLate } = changes;
  const jwk = keys.issuer.jwk;
  const issuer = { state: 'found', jwk, vct: [built.terms.vct] };
  const issuers = { find: async () => ({ issuer, subjectBinding: 'tofu' }) };
  const context = {
    config: { baseUrl: 'https://countersign.example', viAudience: ['https://network.example'] },
    counted: decisionMetrics(new Metrics('test')),
    issuers: { live: issuers, sandbox: issuers },
  };
  const late = new Error('the keys have not arrived in time');
  const presented = {
    call: { environment },
    budget: {
      within: (_: string, work: Promise<unknown>) => (isLate ? Promise.reject(late) : work),
    },
    payment: factsOf({ facts: { payment: { ...bought, ...payment } } }).payment,
    chainJson: JSON.stringify(built.viChain),
  };
  const agent = { did: 'did:example:agent' };
  const known = { ...spendingFacts(newAgentIds()), agent, intentKeyThumbprint: thumbprint };
  return intentFacts(context as unknown as Context, presented as unknown as Presented, {
    known: known as unknown as Resolved['known'],
    decidedAt,
  });
}

const chain = (terms: Partial<ChainTerms> = {}) => autonomousChain({ ...given, ...terms });

test('a chain is verified for the payment, the agent and the environment', async (t) => {
  t.match(await factsAbout(chain()), { verified: true, codes: [], subjectBinding: 'tofu' });
  t.match(await factsAbout(immediateChain(given)), { verified: true, mode: 'IMMEDIATE' });
  const network = chain({ audience: 'https://network.example' });
  t.match(await factsAbout(network), { verified: true }, 'or for a configured audience');
  const toAgent = chain({ l2Audience: 'did:example:agent' });
  t.match(await factsAbout(toAgent), { verified: true }, 'or the agent, whom L2 is for');
  const elsewhere = chain({ l2Audience: 'did:example:other' });
  t.match(await factsAbout(elsewhere), { codes: ['VI_AUDIENCE_MISMATCH'] });
  const other: Array<[Changes, string]> = [
    [{ payment: { amount: '10.01' } }, 'VI_TRANSACTION_MISMATCH'],
    [{ payment: { merchantId: 'm-2' } }, 'VI_TRANSACTION_MISMATCH'],
    [{ environment: 'sandbox' }, 'VI_AUDIENCE_MISMATCH'],
    [{ thumbprint: null }, 'VI_AGENT_KEY_NOT_REGISTERED'],
    [{ thumbprint: keys.user.thumbprint }, 'VI_AGENT_KEY_MISMATCH'],
  ];
  for (const [changes, code] of other) {
    t.match(await factsAbout(chain(), changes), { verified: false, codes: [code] }, code);
  }
});

test('a checkout that is sent is verified too', async (t) => {
  const lineItems = [{ id: 'line-1', item: { id: 'ANY', title: 'Any' }, quantity: 2 }];
  const limit = (quantity: number) => ({
    type: 'mandate.checkout.line_items',
    items: [{ id: '1', acceptable_items: [], quantity }],
  });
  const buying = (quantity: number) =>
    factsAbout(chain({ withCheckout: true, lineItems, checkoutConstraints: [limit(quantity)] }));
  t.same((await buying(2)).codes, []);
  t.same((await buying(1)).codes, ['VI_CONSTRAINT_VIOLATED']);
});

test('keys of an issuer that do not arrive in time are unavailable', async (t) => {
  const facts = await factsAbout(chain(), { isLate: true });
  t.match(facts, { verified: false, codes: ['VI_ISSUER_UNAVAILABLE'], subjectBinding: null });
});

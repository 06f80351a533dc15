import type { PaymentInput } from '@countersign/proto/decision';
import root, { test } from 'tap';
import type { ProfileEvent } from '../profile/learn.js';
import { readRecord } from '../record/read-record.js';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { type AgentIds, spendingFacts } from './fake-identity.js';
import { immediateConsumer } from './immediate-consumer.js';
import { amended, outcome } from './profile-events.js';
import { proposedEvent } from './proposed-event.js';
import { replay } from './replay.js';

const { client, identity, ledger, context, stop } = await startDecision();
const { Authorize, Simulate, PutThresholds } = client.call;
root.teardown(stop);

const learn = immediateConsumer({
  pool: context.stores.live.pool,
  cache: context.stateCache.live,
});

async function newAgent(threshold: string | null = '50.00'): Promise<AgentIds> {
  const ids = newAgentIds();
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  const changesJson = JSON.stringify({ new_merchant_step_up_amount: threshold });
  await PutThresholds({ tenant, changesJson }, callOptions);
  return ids;
}

/**
 * Pays and consumes the event that the ledger would publish. Returns decision and reason codes.
 */
async function pay(ids: AgentIds, payment: PaymentInput): Promise<string> {
  // High enough not to interfere.
  const mandate = { maxDailyAmount: '100000', maxMonthlyAmount: '100000' };
  identity.answers = [spendingFacts(ids, { mandate })];
  const { answer } = await Authorize(authorizeRequest(ids, payment), callOptions);
  await learn(proposedEvent(ledger.lastProposal()));
  const { decision, reason_codes: codes } = JSON.parse(answer);
  return [decision, ...codes].join(' ');
}

const factsOfLast = () => readRecord(ledger.textsOf(ledger.lastProposal()))?.facts;
const asksHuman = 'STEP_UP NEW_MERCHANT_STEP_UP';
const there = { merchantName: 'Corner Shop' };

test('a new merchant gets large amounts only after a small payment was approved', async (t) => {
  const ids = await newAgent();
  t.equal(await pay(ids, { ...there, amount: '50.00' }), asksHuman);
  t.equal(factsOfLast()?.merchantKnown, false);
  t.equal(
    await pay(ids, { ...there, amount: '50.00' }),
    asksHuman,
    'a challenge is not an approval',
  );
  t.equal(await pay(ids, { ...there, amount: '49.99' }), 'APPROVE');
  const unasked = factsOfLast();
  t.ok(unasked);
  t.notOk('merchantKnown' in (unasked ?? {}), 'not read if nothing depends on it');
  t.equal(await pay(ids, { merchantName: ' corner  SHOP', amount: '50.00' }), 'APPROVE');
  t.equal(await pay(ids, { merchantName: 'Other Shop', amount: '50.00' }), asksHuman);
  const judgedAgain = replay(ledger.textsOf(ledger.lastProposal()));
  t.strictSame(
    judgedAgain?.reasonCodes,
    ['NEW_MERCHANT_STEP_UP'],
    'replayed from the record alone',
  );
  const other = await newAgent();
  t.equal(await pay(other, { ...there, amount: '50.00' }), asksHuman, 'per agent');
});

test('ids, counterparties and payments without a merchant', async (t) => {
  const ids = await newAgent();
  t.equal(await pay(ids, { merchantId: 'm-1', amount: '1.00' }), 'APPROVE');
  t.equal(await pay(ids, { ...there, merchantId: 'm-1', amount: '60.00' }), 'APPROVE');
  t.equal(await pay(ids, { ...there, amount: '60.00' }), asksHuman);
  t.equal(await pay(ids, { amount: '60.00' }), asksHuman, 'an unnamed merchant is always new');
  const counterparty = '0xAbCdef0123456789aBcDEF0123456789abcDEF01';
  const transfer = (address: string, amount: string): PaymentInput => ({
    amount,
    rail: 'CRYPTO',
    crypto: { chain: 'base', asset: 'USDC', counterparty: address, value: '1' },
  });
  t.equal(await pay(ids, transfer(counterparty, '60.00')), asksHuman);
  t.equal(await pay(ids, transfer(counterparty, '1.00')), 'APPROVE');
  t.equal(await pay(ids, transfer(counterparty.toLowerCase(), '60.00')), 'APPROVE');
});

test('merchants approved while the threshold was not set are known', async (t) => {
  const ids = await newAgent(null);
  t.equal(await pay(ids, { ...there, amount: '90.00' }), 'APPROVE');
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  await PutThresholds(
    { tenant, changesJson: '{"new_merchant_step_up_amount": "50.00"}' },
    callOptions,
  );
  t.equal(await pay(ids, { ...there, amount: '90.00' }), 'APPROVE');
  const { answer } = await Simulate(
    authorizeRequest(ids, { merchantName: 'Other Shop', amount: '90.00' }),
    callOptions,
  );
  t.match(JSON.parse(answer), { decision: 'STEP_UP', simulated: true });
});

test('a confirmed challenge makes a merchant known, other decisions do not', async (t) => {
  const ids = await newAgent();
  const amend = (kind: 'STEP_UP_CONFIRMED' | 'STEP_UP_DENIED' | 'VOIDED'): ProfileEvent => {
    const { authorizationId } = ledger.lastProposal();
    return { ...amended({ ...ids, authorizationId }, kind), principalId: ids.principalId };
  };
  const large = { ...there, amount: '60.00' };
  t.equal(await pay(ids, large), asksHuman);
  await learn(amend('STEP_UP_DENIED'));
  t.equal(await pay(ids, large), asksHuman);
  const confirmed = amend('STEP_UP_CONFIRMED');
  await learn(confirmed);
  await learn(confirmed);
  t.equal(await pay(ids, large), 'APPROVE');
  await learn(amend('VOIDED'));
  t.equal(await pay(ids, large), 'APPROVE', 'the first approval still counts');
  const elsewhere = { merchantName: 'Other Shop', amount: '10.00' };
  t.equal(await pay(ids, elsewhere), 'APPROVE');
  await learn(amend('VOIDED'));
  t.equal(await pay(ids, { ...elsewhere, amount: '60.00' }), asksHuman);
});

for (const reported of ['CONFIRMED_FRAUD', 'PRINCIPAL_CONFIRMED_UNAUTHORIZED']) {
  test(`a payment that is reported as ${reported} makes no merchant known`, async (t) => {
    const ids = await newAgent();
    t.equal(await pay(ids, { ...there, amount: '1.00' }), 'APPROVE');
    const { authorizationId } = ledger.lastProposal();
    const report = (type: string): ProfileEvent => ({
      ...outcome({ ...ids, authorizationId }, type),
      principalId: ids.principalId,
    });
    await learn(report('MERCHANT_COMPLAINT'));
    t.ok(await isKnown(ids), 'a complaint is no report of fraud');
    await learn(report(reported));
    t.notOk(await isKnown(ids));
  });
}

/** Whether the next payment there would be judged as one to a merchant that the agent has paid. */
async function isKnown(ids: AgentIds): Promise<boolean> {
  const request = authorizeRequest(ids, { ...there, amount: '60.00' });
  const { answer } = await Simulate(request, callOptions);
  return !JSON.parse(answer).reason_codes.includes('NEW_MERCHANT_STEP_UP');
}

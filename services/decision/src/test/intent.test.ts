import { newId } from '@countersign/kernel/id';
import type { PaymentInput } from '@countersign/proto/decision';
import { type ChainTerms, newChainKeys } from '@countersign/runtime/testing/chain-terms';
import {
  autonomousChain,
  type BuiltChain,
  immediateChain,
} from '@countersign/runtime/testing/intent-chain';
import { decodeJwt } from 'jose';
import root, { test } from 'tap';
import { readRecord } from '../record/read-record.js';
import {
  authorizeRequest,
  callOptions,
  issuer,
  newAgentIds,
  startDecision,
} from './decision-service.js';
import { spendingFacts } from './fake-identity.js';
import { proposedEvent } from './proposed-event.js';
import { replay } from './replay.js';

const keys = newChainKeys();
const trusted = {
  iss: 'https://issuer.example',
  vct: ['https://credentials.mastercard.com/card'],
  jwks: { keys: [{ ...keys.issuer.jwk, kid: keys.issuer.kid }] },
  subject_binding: 'tofu',
};
const { client, context, identity, ledger, stop } = await startDecision({
  VI_TRUSTED_ISSUERS_LIVE: JSON.stringify([trusted]),
  VI_AUDIENCE: 'https://network.example',
});
const { Authorize, Simulate, ConfirmStepUp, ExplainAuthorization } = client.call;
root.teardown(stop);

type Answer = Record<string, unknown> & { attestation: { jws: string } | null };

const bought = { amount: '10.00', merchantId: 'm-1001', merchantName: 'Corner shop' };

function termsOf(given: Partial<ChainTerms> = {}): Partial<ChainTerms> {
  return { keys, audience: issuer, ...given };
}

/** A payment of an agent that has registered the chain's key, unless `agent` says otherwise. */
function presentation(built: BuiltChain | undefined, payment: PaymentInput = {}, agent = {}) {
  const ids = newAgentIds();
  const delegated = { viCapable: true, keyThumbprint: keys.agent.thumbprint };
  identity.answers = [spendingFacts(ids, { agent: { ...delegated, ...agent } })];
  const chain = built ? { viChainJson: JSON.stringify(built.viChain) } : {};
  const request = authorizeRequest(ids, { ...bought, ...payment, ...chain });
  // Distinct, as the hashes of distinct bodies are.
  return { request: { ...request, bodyHash: newId('event') } };
}

async function pay(built: BuiltChain | undefined, payment: PaymentInput = {}, agent = {}) {
  const { request } = presentation(built, payment, agent);
  const answer = JSON.parse((await Authorize(request, callOptions)).answer) as Answer;
  const { request: proposal } = ledger.records.get(request.authorizationId ?? '') ?? {};
  return { answer, request, proposal };
}

test('a verified chain is answered, attested and proposed to the ledger', async (t) => {
  const built = autonomousChain(termsOf());
  const { answer, proposal } = await pay(built);
  t.match(answer, { decision: 'APPROVE', vi_verified: true, vi_mode: 'AUTONOMOUS' });
  const { dec } = decodeJwt<{ dec: { vi: object } }>(answer.attestation?.jws ?? '');
  t.match(dec.vi, { verified: true, mode: 'AUTONOMOUS', reference: /^[\w-]{43}$/ });
  t.has(proposal?.intent, {
    codes: [],
    chainJson: JSON.stringify(built.viChain),
    claim: { subject: 'user-1', issuer: trusted.iss, subjectBinding: 'tofu', amountMinor: '1000' },
  });
  t.equal(proposal?.viVerified, true);
  t.match(proposal && proposedEvent(proposal).data, { learning: { viVerified: true } });
  const immediate = await pay(immediateChain(termsOf({ audience: 'https://network.example' })));
  t.match(immediate.answer, { decision: 'APPROVE', vi_verified: true, vi_mode: 'IMMEDIATE' });
});

test('record, event and explanation contain no part of a credential', async (t) => {
  const built = autonomousChain(termsOf());
  const { proposal, request } = await pay(built);
  const { principalId = '', authorizationId } = request;
  const tenant = { clientId: 'cli_1', principalId };
  const explained = await ExplainAuthorization({ tenant, authorizationId }, callOptions);
  const texts = [proposal?.factsJson, proposal?.eventDataJson, explained.explanationJson];
  for (const credential of Object.values(built.viChain)) {
    for (const part of credential.split(/[.~]/).filter((each) => each.length > 20)) {
      t.same(
        texts.findIndex((text) => text?.includes(part)),
        -1,
      );
    }
  }
  t.match(JSON.parse(explained.explanationJson), {
    reproduced: true,
    inputs: { intent: { verified: true, mode: 'AUTONOMOUS', evidence: { issuer: trusted.iss } } },
  });
});

test('a record can be replayed without the chain', async (t) => {
  const { proposal } = await pay(autonomousChain(termsOf({ amountMinor: 999 })));
  if (!proposal) return t.fail('not recorded');
  const texts = ledger.textsOf(proposal);
  t.equal(readRecord(texts)?.inputHash, proposal.inputHash);
  t.match(replay(texts), {
    decision: 'DECLINE',
    reasonCodes: ['VI_TRANSACTION_MISMATCH'],
    viVerified: false,
    viMode: 'AUTONOMOUS',
    risk: { components: { intentChain: 0.5 } },
  });
});

test("the ledger's findings about state are judged like all others", async (t) => {
  ledger.forced.push({ outcome: 'intent_differs', intentCodes: ['VI_NONCE_REPLAY'] });
  const { answer, proposal } = await pay(autonomousChain(termsOf()));
  t.match(answer, {
    decision: 'DECLINE',
    reason_codes: ['VI_NONCE_REPLAY'],
    vi_verified: false,
    vi_mode: 'AUTONOMOUS',
  });
  t.same(proposal?.intent?.codes, ['VI_NONCE_REPLAY']);
  t.match(replay(ledger.textsOf(proposal as never)), { reasonCodes: ['VI_NONCE_REPLAY'] });
  ledger.forced.push(
    { outcome: 'intent_differs', intentCodes: ['VI_MANDATE_CONSUMED'] },
    { outcome: 'intent_differs', intentCodes: [] },
  );
  const freed = await pay(autonomousChain(termsOf()));
  t.match(freed.answer, { decision: 'APPROVE', vi_verified: true }, 'it was released meanwhile');
});

test('each failure has its reason code', async (t) => {
  const cases: Array<[codes: string[], built: BuiltChain, agent?: object]> = [
    [['VI_AGENT_KEY_MISMATCH'], autonomousChain(termsOf()), { keyThumbprint: 'another' }],
    [['VI_AGENT_KEY_NOT_REGISTERED'], autonomousChain(termsOf()), { viCapable: false }],
    [['VI_ISSUER_UNTRUSTED'], autonomousChain(termsOf({ issuer: 'https://nobody.example' }))],
    [['VI_AUDIENCE_MISMATCH'], autonomousChain(termsOf({ audience: `${issuer}/sandbox` }))],
    [['VI_TRANSACTION_MISMATCH'], autonomousChain(termsOf({ currency: 'EUR' }))],
  ];
  for (const [codes, built, agent] of cases) {
    const { answer } = await pay(built, {}, agent);
    t.match(answer, { reason_codes: codes, vi_verified: false }, codes.join());
  }
  const { viChain } = autonomousChain(termsOf());
  const torn = { viChain: { ...viChain, l2: `${viChain.l2}x` } } as unknown as BuiltChain;
  const { answer, proposal } = await pay(torn);
  t.equal(answer.decision, 'DECLINE', 'an unreadable chain is a decline, not a fault');
  t.equal(proposal?.intent?.claim ?? undefined, undefined, 'without a claim');
  t.ok(proposal?.intent?.chainJson, 'but it is recorded');
});

test('a payment without a chain has no intent facts', async (t) => {
  const { answer, proposal } = await pay(undefined);
  t.match(answer, { decision: 'APPROVE', vi_verified: false, vi_mode: null });
  t.equal(proposal?.intent ?? undefined, undefined);
  t.notOk(proposal?.factsJson.includes('intent"'));
});

test('an unknown agent learns nothing about its chain', async (t) => {
  const { request } = presentation(autonomousChain(termsOf()));
  identity.answers = [{ actingPrincipalId: request.principalId ?? '' }];
  const answer = JSON.parse((await Authorize(request, callOptions)).answer);
  t.match(answer, { reason_codes: ['AGENT_NOT_FOUND'], vi_verified: false, vi_mode: null });
});

async function chainsCounted(): Promise<number> {
  const metric = context.metrics.registry.getSingleMetric('countersign_intent_chains_total');
  const { values = [] } = (await metric?.get()) ?? {};
  return values.reduce((sum, { value }) => sum + value, 0);
}

test('a chain is counted once, however often its payment is judged', async (t) => {
  const before = await chainsCounted();
  ledger.forced.push({ outcome: 'stale', epoch: 'another' });
  const { answer } = await pay(autonomousChain(termsOf()));
  t.match(answer, { decision: 'APPROVE', vi_verified: true });
  t.equal(await chainsCounted(), before + 1);
});

test('a simulation verifies the chain and consumes nothing', async (t) => {
  const counted = await chainsCounted();
  const { request } = presentation(autonomousChain(termsOf()));
  const before = ledger.proposals.length;
  const answer = JSON.parse((await Simulate(request, callOptions)).answer);
  t.match(answer, { decision: 'APPROVE', vi_verified: true, vi_mode: 'AUTONOMOUS' });
  t.equal(ledger.proposals.length, before);
  t.equal(await chainsCounted(), counted, 'and is counted as no presentation');
});

test('an approval confirmed by a human is attested as recorded', async (t) => {
  const unresolved = [
    { type: 'mandate.payment.amount_range', currency: 'USD', max: 100_000 },
    { type: 'urn:example:market-is-open' },
  ];
  const { answer, request } = await pay(autonomousChain(termsOf({ constraints: unresolved })));
  t.match(answer, { decision: 'STEP_UP', reason_codes: ['VI_CONSTRAINT_UNRESOLVED'] });
  const tenant = { clientId: 'cli_1', principalId: request.principalId ?? '' };
  const { authorizationId } = request;
  await ConfirmStepUp({ tenant, authorizationId, confirmedBy: newId('principal') }, callOptions);
  const { attestationJson = '{}' } = ledger.confirmations.at(-1) ?? {};
  const { dec } = decodeJwt<{ dec: object }>(JSON.parse(attestationJson).jws);
  t.match(dec, { decision: 'APPROVE', vi: { verified: false, mode: 'AUTONOMOUS' } });
  ledger.confirmOutcome = { outcome: 'intent_differs', intentCodes: ['VI_MANDATE_CONSUMED'] };
  const confirming = ConfirmStepUp({ tenant, authorizationId, confirmedBy: 'prn_1' }, callOptions);
  await t.rejects(confirming, /VI_MANDATE_CONSUMED/);
  ledger.confirmOutcome = { outcome: 'confirmed', confirmedAt: 'now' };
});

test('a chain that the gateway would not have sent leads to a fail-safe DECLINE', async (t) => {
  const { request } = presentation(autonomousChain(termsOf()));
  const payment = { ...request.payment, viChainJson: '{' };
  const answer = JSON.parse((await Authorize({ ...request, payment }, callOptions)).answer);
  t.match(answer, { decision: 'DECLINE', reason_codes: ['SYSTEM_FAIL_SAFE'] });
});

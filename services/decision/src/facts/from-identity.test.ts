import { newId } from '@countersign/kernel/id';
import {
  identityService,
  type SpendingFacts,
  type SpendingFactsInput,
} from '@countersign/proto/identity';
import { test } from 'tap';
import { newAgentIds } from '../test/decision-service.js';
import { type AgentPatch, spendingFacts } from '../test/fake-identity.js';
import { resolvedAgent } from './from-identity.js';
import { SharedValues } from './shared-values.js';

const ids = newAgentIds();
const { agentId, principalId } = ids;
const byId = { agentId, agentDid: null };

/** As after transport: with the defaults of the protobuf schema. */
function received(facts: SpendingFactsInput): SpendingFacts {
  const { responseSerialize, responseDeserialize } = identityService.GetSpendingFacts;
  return responseDeserialize(responseSerialize(facts));
}

function resolved(facts: SpendingFactsInput, asked = byId) {
  return resolvedAgent(received(facts), asked, new SharedValues());
}

test('an answer about another agent, or of another owner, gives no authority', (t) => {
  t.equal(resolved(spendingFacts(ids))?.agent.id, agentId);
  const stranger = newId('principal');
  const others: AgentPatch[] = [
    { agent: { id: newId('agent') } },
    { agent: { principalId: stranger } },
    { principal: { id: stranger } },
  ];
  for (const patch of others) t.equal(resolved(spendingFacts(ids, patch)), null);
  t.equal(resolved({ ...spendingFacts(ids), actingPrincipalId: stranger }), null);
  const byDid = (agentDid: string) =>
    resolvedAgent(received(spendingFacts(ids)), { agentId: null, agentDid }, new SharedValues());
  t.equal(byDid(`did:key:${agentId}`)?.principal.id, principalId);
  t.equal(byDid('did:key:another'), null);
  t.end();
});

test('a mandate of another agent is not used', (t) => {
  const own = spendingFacts(ids);
  const foreign = spendingFacts(ids, { mandate: { agentId: newId('agent'), id: 'mnd_foreign' } });
  const mandates = [...(foreign.mandates ?? []), ...(own.mandates ?? [])];
  t.same(
    resolved({ ...own, mandates })?.mandates.map(({ id }) => id),
    [ids.mandateId],
  );
  t.end();
});

test('each fact of an agent, its Principal and its program is taken from its own field', (t) => {
  const agent = {
    programId: 'prg_own',
    status: 'SUSPENDED',
    trustLevel: 'TRUSTED',
    capabilities: ['TRANSFER'],
    createdAt: '2026-03-01T00:00:00.000Z',
    version: 2,
  };
  const principal = { verificationStatus: 'EXPIRED', riskTier: 'HIGH', version: 3 };
  const program = { id: 'prg_own', status: 'PAUSED', rails: ['crypto'], version: 4 };
  const found = resolved(spendingFacts(ids, { agent, principal, program }));
  const did = `did:key:${agentId}`;
  t.same(found?.agent, { ...agent, id: agentId, principalId, did, keyRegistered: false });
  t.same(found?.principal, { ...principal, id: principalId });
  t.same(found?.program, program);
  const fraudTriageEnabled = true;
  const triaged = resolved(spendingFacts(ids, { program: { ...program, fraudTriageEnabled } }));
  t.same(triaged?.program, { ...program, fraudTriage: true });
  t.equal(resolved({ ...spendingFacts(ids), program: undefined })?.program, null);
  t.end();
});

test('each term of a mandate is taken from the term of this name', (t) => {
  const terms = {
    currency: 'EUR',
    maxAmountPerTransaction: '1.00',
    maxDailyAmount: '2.00',
    maxMonthlyAmount: '3.00',
    maxDailyCount: 4,
    maxMonthlyCount: 5,
    rails: ['crypto'],
    status: 'SUSPENDED',
    allowedMccs: ['0001'],
    blockedMccs: ['0002'],
    allowedCountries: ['AUT'],
    blockedCountries: ['BEL'],
    allowedMerchants: ['m-1'],
    blockedMerchants: ['m-2'],
    allowedChains: ['base'],
    allowedAssets: ['USDC'],
    allowedCounterparties: ['0x1'],
    crypto: { chains: ['ethereum'], assets: ['EURC'], maxTransfer: '6' },
    validFrom: '2026-02-01T00:00:00.000Z',
    validUntil: '2027-02-01T00:00:00.000Z',
    mandateHash: 'sha256:terms',
    version: 7,
  };
  const [mandate] = resolved(spendingFacts(ids, { mandate: terms }))?.mandates ?? [];
  t.same(mandate, { ...terms, id: ids.mandateId });
  const none = { maxDailyAmount: undefined, maxMonthlyAmount: undefined };
  const [unlimited] = resolved(spendingFacts(ids, { mandate: none }))?.mandates ?? [];
  t.match(unlimited, {
    maxDailyAmount: null,
    maxMonthlyAmount: null,
    maxDailyCount: null,
    maxMonthlyCount: null,
    crypto: null,
  });
  t.end();
});

test('only a mandate that is valid from its creation starts at once', (t) => {
  const createdAt = '2026-02-01T00:00:00.000Z';
  const startsAtOnce = (validFrom: string) =>
    resolved(spendingFacts(ids, { mandate: { createdAt, validFrom } }))?.mandates[0]?.startsAtOnce;
  t.equal(startsAtOnce('2026-01-31T00:00:00.000Z'), true);
  t.equal(startsAtOnce(createdAt), true);
  t.equal(startsAtOnce('2026-02-01T00:00:00.001Z'), undefined);
  t.end();
});

test('a key is registered if there is one, and verifies an intent only if it can', (t) => {
  const keyOf = (agent: NonNullable<AgentPatch['agent']>) => {
    const found = resolved(spendingFacts(ids, { agent }));
    return [found?.agent.keyRegistered, found?.intentKeyThumbprint];
  };
  t.same(keyOf({}), [false, null]);
  t.same(keyOf({ keyThumbprint: 'print', viCapable: false }), [true, null]);
  t.same(keyOf({ keyThumbprint: 'print', viCapable: true }), [true, 'print']);
  t.end();
});

import { canonicalHash, canonicalJson, sha256Hex } from '@countersign/kernel/canonical';
import { decisionService, type PaymentInput } from '@countersign/proto/decision';
import { test } from 'tap';
import { anomalyModel } from '../anomaly/score.js';
import { evaluate } from '../evaluate.js';
import { paymentFacts } from '../facts/from-request.js';
import type { Facts, PaymentFacts } from '../facts/shape.js';
import { ruleSet } from '../rules/index.js';
import { kyaModel } from '../scores/kya.js';
import { riskModel } from '../scores/risk.js';
import { authorizeRequest, newAgentIds } from '../test/decision-service.js';
import { factsOf } from '../test/facts.js';
import { canonicalThresholds } from '../thresholds/canonical.js';
import { basisOf } from './basis.js';
import { policyHash } from './policy.js';
import { incompleteRecord, readRecord, type StoredTexts } from './read-record.js';
import { recordText } from './record-text.js';

const everything: PaymentInput = {
  agentDid: 'did:key:z6Mk',
  mcc: '5411',
  merchantName: 'Café "Zur Post"',
  merchantId: 'm-1',
  country: 'AUT',
  capability: 'PURCHASE',
  rail: 'CRYPTO',
  crypto: { chain: 'base', asset: 'USDC', counterparty: '0xabc', value: '1.5', fromAddress: '0x1' },
  idempotencyKey: 'key-0000001',
  clientReference: 'order-1',
  transactionId: 'txn_1',
  networkRrn: '1',
  networkStan: '2',
  authCode: '3',
  networkReference: '4',
  txHash: '0x5',
  chainId: '8453',
  runtimeEvidenceJson: '{"b":1,"a":2}',
  metadataJson: '{"a":null}',
  intentContext: {
    taskReference: 'task',
    intentType: 'PURCHASE',
    reasoningSummary: 'because\n\u2028 "x":null,',
    confidence: 0.1,
    alternativesConsidered: 3,
    interactionDepth: 1,
    sessionId: 's',
    recurrenceNumber: 2,
    originalAuthorizationId: 'auth_1',
  },
};

function payment(given: PaymentInput = {}): PaymentFacts {
  const request = authorizeRequest(newAgentIds(), given);
  const codec = decisionService.Authorize;
  return paymentFacts(codec.requestDeserialize(codec.requestSerialize(request)));
}

function kept(facts: Facts): StoredTexts & { inputHash: string } {
  return recordText(facts, evaluate(facts), () => false);
}

test('a record reproduces its input exactly, for any request', async (t) => {
  const facts = { ...factsOf({}), payment: payment() };
  const nobody = { ...facts, agent: null, principal: null, program: null, mandates: [] };
  const likeness = { n: 12, amountZ: 0.5, mcc: [0, 12] as [number, number] };
  const full: Facts = {
    ...facts,
    likeness,
    openChallengesFull: true,
    payment: payment(everything),
  };
  const stranger: Facts = { ...facts, merchantKnown: false, profile: null };
  const marks = { fraud: [{ authorizationId: 'auth_1', at: '2026-11-01T00:00:00.000Z' }] };
  const past = factsOf({ past: { decayed: { approvals: 1.5 }, totals: { total: 3 }, marks } });
  for (const each of [facts, nobody, full, stranger, past]) {
    const text = kept(each);
    const record = readRecord(text);
    t.strictSame(record?.facts, each);
    t.equal(record?.inputHash, text.inputHash);
  }
});

test('decisions about one agent share a basis until its content changes', async (t) => {
  const facts = factsOf({});
  const basis = basisOf(facts);
  t.equal(basisOf({ ...facts, payment: payment() }), basis, 'reused without serializing it again');
  const { text, hash } = canonicalThresholds(facts.thresholds);
  t.equal(basis?.text, canonicalJson({ ...basis?.facts, thresholds: hash }));
  t.strictSame([text, hash], [canonicalJson(facts.thresholds), sha256Hex(text)]);
  t.equal(basis?.hash, sha256Hex(basis?.text ?? ''));
  const { basisJson } = kept(facts);
  const told = recordText(facts, evaluate(facts), (name) => name === hash);
  t.match(told, { basisJson, thresholdsHash: hash, thresholdsJson: undefined });
  const known = recordText(facts, evaluate(facts), () => true);
  t.match(known, { basisHash: basis?.hash, basisJson: undefined, thresholdsJson: undefined });
  t.equal(basis?.text, null, 'the text is dropped once the ledger has it');
  t.equal(kept(facts).basisJson, basisJson, 'and is serialized again if the ledger has lost it');
  const [mandate] = facts.mandates;
  const changes: Array<Partial<Facts>> = [
    { thresholds: { ...facts.thresholds, riskScoreStepUp: 0.5 } },
    { principal: facts.principal && { ...facts.principal, version: 2 } },
    { program: { id: 'prg_1', version: 9, status: 'PAUSED', rails: ['card'] } },
    { mandates: [] },
    { mandates: mandate ? [{ ...mandate, version: 7 }] : [] },
  ];
  for (const change of changes) {
    const changed = { ...facts, ...change };
    t.not(basisOf(changed)?.hash, basis?.hash);
    t.strictSame(readRecord(kept(changed))?.facts, changed);
  }
});

test('a modified text does not match the recorded hash', async (t) => {
  const facts = { ...factsOf({}), payment: payment() };
  const text = kept(facts);
  const changed: StoredTexts[] = [
    { ...text, factsJson: text.factsJson.replace('"USD"', '"EUR"') },
    { ...text, factsJson: text.factsJson.replace('"task-1"', '"task-2"') },
    { ...text, basisJson: text.basisJson?.replace('"status":"ACTIVE"', '"status":"PAUSED"') },
    {
      ...text,
      thresholdsJson: text.thresholdsJson?.replace('"riskScoreStepUp":0', '"riskScoreStepUp":1'),
    },
  ];
  for (const each of changed) {
    t.notSame(each, text);
    t.ok(readRecord(each));
    t.not(readRecord(each)?.inputHash, text.inputHash);
  }
  const { factsJson, basisJson } = text;
  t.equal(readRecord({ factsJson }), null, 'the basis is missing');
  t.equal(readRecord({ factsJson, basisJson }), null, 'the thresholds are missing');
});

test('a record of an unknown agent contains its whole input', async (t) => {
  const facts = { ...factsOf({}), agent: null, principal: null, program: null, mandates: [] };
  const { factsJson, inputHash } = kept(facts);
  t.strictSame(JSON.parse(factsJson).facts, facts);
  t.equal(inputHash, `sha256:${canonicalHash(facts)}`);
  const { kya, zone, anomaly, risk } = evaluate(facts);
  t.same(readRecord({ factsJson })?.scores, { kya, zone, anomaly, risk });
  t.equal(readRecord({ factsJson: '{"cause":"TIMEOUT"}' }), null, 'where nothing was evaluated');
});

test('a record in a newer format is refused rather than misread', async (t) => {
  const text = kept({ ...factsOf({}), payment: payment() });
  const factsJson = text.factsJson.replace('"model":"facts-4"', '"model":"facts-5"');
  t.not(factsJson, text.factsJson);
  t.equal(readRecord({ ...text, factsJson }), null);
});

/** What must be read for as long as there are records; never to be changed. */
const written =
  '{"facts":{"model":"facts-4","made":["live","2026-11-26T11:28:02.603Z","cli_1","prn_1"],' +
  '"payment":{"values":["auth_1","txn_1",false,"hash","req","10.00","USD","CRYPTO",' +
  '["task-1",null,"why",0.5],"agt_1",null,"USA",null,null,"order-1",null,null,null,null,null,' +
  '[null,"2"]],"crypto":{"chain":"base","asset":"USDC","counterparty":"0xabc",' +
  '"fromAddress":null,"value":"1.5","operation":"transfer"}},"profile":null,' +
  '"velocity":{"exceeded":false},"likeness":{"n":0}},"scores":[["kya-1",0.6225,0.75,0.76,0.77,' +
  '0.3,0.1,0.78,[["DAILY_RISE",0.6]]],"AMBER",["anomaly-1",0.1,false,true,3,' +
  '[["AMOUNT",0.2,0.3,1]]],["risk-1",0.1888,[0.1,0.2,0.3,0.4,0.5],"CLEAN"]]}';

test('a record of today is read like this by every later release', async (t) => {
  const basis = basisOf(factsOf({}));
  const { text: thresholdsJson } = canonicalThresholds(factsOf({}).thresholds);
  const basisJson = basis?.text ?? '';
  const record = readRecord({ factsJson: written, basisJson, thresholdsJson });
  t.has(record?.facts, {
    environment: 'live',
    decidedAt: '2026-11-26T11:28:02.603Z',
    clientId: 'cli_1',
    actingPrincipalId: 'prn_1',
    payment: {
      authorizationId: 'auth_1',
      transactionId: 'txn_1',
      transactionGiven: false,
      bodyHash: 'hash',
      reqHash: 'req',
      amount: '10.00',
      currency: 'USD',
      rail: 'CRYPTO',
      agentId: 'agt_1',
      country: 'USA',
      clientReference: 'order-1',
      idempotencyKey: null,
      intentContext: { taskReference: 'task-1', reasoningSummary: 'why', confidence: 0.5 },
      references: { networkRrn: null, networkStan: '2', chainId: null },
      crypto: { chain: 'base', value: '1.5' },
    },
    limits: { codes: [], usage: null },
  });
  t.same(record?.scores, {
    kya: {
      ...{ model: 'kya-1', score: 0.6225, compliance: 0.75, outcomes: 0.76, consistency: 0.77 },
      ...{ identity: 0.3, tenure: 0.1, core: 0.78, caps: [{ name: 'DAILY_RISE', limit: 0.6 }] },
    },
    zone: 'AMBER',
    anomaly: {
      ...{ model: 'anomaly-1', score: 0.1, triggered: false, skipped: true, baselineSize: 3 },
      features: [{ name: 'AMOUNT', weight: 0.2, strength: 0.3, share: 1 }],
    },
    risk: {
      ...{ model: 'risk-1', score: 0.1888, condition: 'CLEAN' },
      components: { anomaly: 0.1, kya: 0.2, velocity: 0.3, intentChain: 0.4, riskTier: 0.5 },
    },
  });
  const own = written.slice('{"facts":'.length, written.indexOf(',"scores"'));
  const hashed = own.replace(/}$/, `,"basis":"${sha256Hex(basisJson)}"}`);
  t.equal(record?.inputHash, `sha256:${sha256Hex(hashed)}`);
});

test('the policy hash covers the canonical JSON of all of its parts', async (t) => {
  const { thresholds, mandates } = factsOf({});
  const [mandate = null] = mandates;
  const models = { kya: kyaModel, anomaly: anomalyModel, risk: riskModel };
  for (const each of [mandate, null]) {
    const mandateHash = each?.mandateHash ?? null;
    const expected = canonicalHash({ ruleSet, models, thresholds, mandateHash });
    t.equal(policyHash({ thresholds, mandate: each }), `sha256:${expected}`);
  }
});

test('a record without its thresholds is shown with the rest of its basis', async (t) => {
  const { thresholdsJson: _lost, ...left } = kept({ ...factsOf({}), payment: payment() });
  t.equal(readRecord(left), null);
  const { facts } = incompleteRecord(left) ?? {};
  t.match(facts, { agent: { id: 'agt_case' }, mandates: [{ id: 'mnd_case' }] });
  t.notOk(facts && 'thresholds' in facts);
});

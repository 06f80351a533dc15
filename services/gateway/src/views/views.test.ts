import { webhookEventCatalog } from '@countersign/kernel/webhook-event';
import type { AgentProfile, SigningKey } from '@countersign/proto/decision';
import type { Agent, Mandate, Principal, Program } from '@countersign/proto/identity';
import type { AuthorizationEntry, Outcome } from '@countersign/proto/ledger';
import type { Delivery, Webhook } from '@countersign/proto/notifier';
import type { SettlementRecord } from '@countersign/proto/settlement';
import { type Test, test } from 'tap';
import { agentStatusView, agentSummaryView, onboardingAgentView, runtimeAgentView } from './agent.js';
import { agentMetricsView } from './agent-metrics.js';
import { logEntryView, pendingStepUpView } from './authorization.js';
import { jwksView, publicKeysView } from './keys.js';
import { budgetView, onboardingMandateView, runtimeMandateView } from './mandate.js';
import { moneyNumber, moneyText } from './money.js';
import { outcomeView } from './outcome.js';
import { outcomeBatchView } from './outcome-batch.js';
import { actingPrincipalView, principalView, registrationStatus } from './principal.js';
import { programView } from './program.js';
import { reversalView } from './reversal.js';
import { settlementView } from './settlement.js';
import { deliveryView, eventCatalogView, webhookView } from './webhook.js';

/** Field for field and in this order: what goes out is the text, not the object. */
function exact(t: Test, view: unknown, ...text: string[]): void {
  t.equal(JSON.stringify(view), text.join(''));
}

const at = '2026-11-21T09:30:00.000Z';

const principal: Principal = {
  id: 'prn_1',
  clientId: 'cli_1',
  principalKind: 'personal',
  verificationStatus: 'VERIFIED',
  verificationMode: 'client_attested',
  riskTier: 'LOW',
  programIds: ['prg_1', 'prg_2'],
  createdAt: at,
  version: 3,
  profile: { displayName: 'Ada', email: 'ada@example.com' },
};

test('a principal: the onboarding shape, the runtime subset, the session', async (t) => {
  exact(
    t,
    principalView(principal),
    '{"id":"prn_1","client_id":"cli_1","principal_kind":"personal","client_customer_ref":null,',
    '"verification_status":"VERIFIED","verification_mode":"client_attested","risk_tier":"LOW",',
    '"programs":["prg_1","prg_2"],"agents":[],"verification_session":null,',
    `"created_at":"${at}"}`,
  );
  exact(
    t,
    actingPrincipalView({ ...principal, clientCustomerRef: 'c-1' }),
    '{"id":"prn_1","principal_kind":"personal","verification_status":"VERIFIED",',
    '"risk_tier":"LOW","client_customer_ref":"c-1"}',
  );
  t.equal(registrationStatus(principal), 201);
  const session = { id: 'vs_1', type: 'KYC', provider: 'manual', status: 'REQUIRES_INPUT' };
  const pending = {
    ...principal,
    verificationMode: 'platform_provider',
    verificationSession: { ...session, url: 'https://v.example', expiresAt: at, createdAt: at },
  };
  t.equal(registrationStatus(pending), 202);
  exact(
    t,
    principalView(pending).verification_session,
    '{"id":"vs_1","type":"KYC","provider":"manual","status":"REQUIRES_INPUT",',
    `"url":"https://v.example","expires_at":"${at}","created_at":"${at}"}`,
  );
});

const agent: Agent = {
  id: 'agt_1',
  principalId: 'prn_1',
  clientId: 'cli_1',
  did: 'did:key:z6Mk',
  didMethod: 'key',
  name: 'Shopper',
  status: 'ACTIVE',
  trustLevel: 'REGISTERED',
  capabilities: ['PURCHASE'],
  createdAt: at,
  version: 1,
  viCapable: false,
};
const profile: AgentProfile = {
  agentId: 'agt_1',
  kyaScore: 0.65,
  totalTransactions: 12,
  approvedTransactions: 11,
  declinedTransactions: 1,
  successfulTransactions: 10,
  declineRate: 0.0833,
  disputeDeflectionRate: 1,
};

test('an agent: onboarding and runtime shapes differ, scores are null until there is one', async (t) => {
  exact(
    t,
    onboardingAgentView({ ...agent, programId: 'prg_1' }),
    '{"id":"agt_1","principal_id":"prn_1","client_id":"cli_1","program_id":"prg_1",',
    '"did":"did:key:z6Mk","name":"Shopper","status":"ACTIVE","trust_level":"REGISTERED",',
    `"kya_score":null,"created_at":"${at}"}`,
  );
  exact(
    t,
    runtimeAgentView(agent, profile),
    '{"id":"agt_1","did":"did:key:z6Mk","did_method":"key","display_name":"Shopper",',
    '"principal_id":"prn_1","status":"ACTIVE","trust_level":"REGISTERED",',
    '"capabilities":["PURCHASE"],"total_transactions":12,"decline_rate":0.0833,',
    `"created_at":"${at}"}`,
  );
  t.match(runtimeAgentView(agent, undefined), { total_transactions: 0, decline_rate: 0 });
  exact(
    t,
    agentSummaryView(agent, profile),
    '{"id":"agt_1","name":"Shopper","status":"ACTIVE","trust_level":"REGISTERED","kya_score":0.65}',
  );
  exact(
    t,
    agentStatusView(agent),
    '{"id":"agt_1","status":"ACTIVE","trust_level":"REGISTERED","display_name":"Shopper"}',
  );
});

const thresholds = {
  verified_min_successful_txns: 10,
  verified_min_account_age_hours: 24,
  verified_max_decline_rate: 0.1,
  verified_min_dispute_deflection_rate: 0.8,
  trusted_min_successful_txns: 500,
  trusted_min_account_age_hours: 720,
  trusted_max_decline_rate: 0.02,
  trusted_min_dispute_deflection_rate: 0.9,
  cts_green_threshold: 0.7,
  cts_amber_threshold: 0.4,
};

test('metrics: every criterion with what it asks and what there is', async (t) => {
  const nowMs = Date.parse(at) + 24 * 3_600_000;
  exact(
    t,
    agentMetricsView({ agent, profile, thresholds, nowMs }),
    '{"agent_id":"agt_1","trust_level":"REGISTERED","total_transactions":12,',
    '"successful_transactions":10,"declined_transactions":1,"decline_rate":0.0833,',
    '"dispute_deflection_rate":1,"trust_promotion_eligible":true,"next_trust_level":"VERIFIED",',
    '"promotion_criteria":{"successful_transactions":{"required":10,"actual":10,"met":true},',
    '"account_age_hours":{"required":24,"actual":24,"met":true},',
    '"decline_rate":{"required":0.1,"actual":0.0833,"met":true},',
    '"dispute_deflection_rate":{"required":0.8,"actual":1,"met":true}}}',
  );
  const verified = { ...agent, trustLevel: 'VERIFIED' };
  t.match(agentMetricsView({ agent: verified, profile, thresholds, nowMs }), {
    next_trust_level: 'TRUSTED',
    trust_promotion_eligible: false,
    promotion_criteria: { successful_transactions: { required: 500, met: false } },
  });
  const trusted = { ...agent, trustLevel: 'TRUSTED' };
  t.match(agentMetricsView({ agent: trusted, profile, thresholds, nowMs }), {
    next_trust_level: null,
    trust_promotion_eligible: false,
  });
  const low = { ...profile, kyaScore: 0.39 };
  t.equal(
    agentMetricsView({ agent, profile: low, thresholds, nowMs }).trust_promotion_eligible,
    false,
    'nobody is promoted out of the RED zone',
  );
});

const mandate: Mandate = {
  id: 'mnd_1',
  agentId: 'agt_1',
  principalId: 'prn_1',
  clientId: 'cli_1',
  programId: 'prg_1',
  status: 'ACTIVE',
  rails: ['card', 'crypto'],
  currency: 'USD',
  maxAmountPerTransaction: '100.5',
  maxDailyAmount: '200',
  maxMonthlyCount: 9,
  allowedMccs: ['5411'],
  blockedMccs: [],
  allowedCountries: [],
  blockedCountries: [],
  allowedMerchants: [],
  blockedMerchants: [],
  allowedChains: [],
  allowedAssets: [],
  allowedCounterparties: [],
  crypto: { chains: ['base'], assets: ['USDC'], maxTransfer: '50.100000' },
  validFrom: at,
  validUntil: at,
  mandateHash: 'sha256:00',
  createdAt: at,
  version: 1,
};
const terms = [
  '"currency":"USD","allowed_mccs":["5411"],"blocked_mccs":[],"allowed_countries":[],',
  '"blocked_countries":[],"allowed_merchants":[],"blocked_merchants":[],',
  '"max_daily_count":null,"max_monthly_count":9,"allowed_chains":[],"allowed_assets":[],',
  '"allowed_counterparties":[],',
  '"crypto":{"chains":["base"],"assets":["USDC"],"max_transfer":"50.1"},',
  `"valid_from":"${at}","valid_until":"${at}","created_at":"${at}","mandate_hash":"sha256:00"}`,
].join('');

test('a mandate: limits are numbers, single amounts text, list amounts numbers', async (t) => {
  exact(
    t,
    onboardingMandateView(mandate),
    '{"id":"mnd_1","agent_id":"agt_1","program_id":"prg_1","status":"ACTIVE",',
    '"rails":["card","crypto"],"limits":{"max_amount_per_transaction":100.5,',
    '"max_daily_amount":200,"max_monthly_amount":null,"currency":"USD"},',
    terms,
  );
  exact(
    t,
    runtimeMandateView(mandate, moneyText),
    '{"id":"mnd_1","agent_id":"agt_1","principal_id":"prn_1","status":"ACTIVE",',
    '"max_amount_per_transaction":"100.50","max_daily_amount":"200.00","max_monthly_amount":null,',
    terms,
  );
  exact(
    t,
    runtimeMandateView({ ...mandate, crypto: null }, moneyNumber),
    '{"id":"mnd_1","agent_id":"agt_1","principal_id":"prn_1","status":"ACTIVE",',
    '"max_amount_per_transaction":100.5,"max_daily_amount":200,"max_monthly_amount":null,',
    terms.replace(/"crypto":\{.*?\}/, '"crypto":null'),
  );
});

test('a budget: what is left is never below zero, and null without a limit', async (t) => {
  const usage = {
    day: '2026-11-21',
    month: '2026-11',
    dailyAmount: '10.5',
    monthlyAmount: '900',
    dailyCount: 1,
    monthlyCount: 12,
  };
  exact(
    t,
    budgetView({ ...mandate, currency: 'JPY', maxDailyAmount: '200' }, { ...usage, dailyAmount: '10' })
      .day,
    '{"date":"2026-11-21","amount_limit":"200","amount_used":"10","amount_remaining":"190",',
    '"count_limit":null,"count_used":1,"count_remaining":null}',
  );
  exact(
    t,
    budgetView(mandate, usage),
    '{"mandate_id":"mnd_1","currency":"USD","day":{"date":"2026-11-21","amount_limit":"200.00",',
    '"amount_used":"10.50","amount_remaining":"189.50","count_limit":null,"count_used":1,',
    '"count_remaining":null},"month":{"date":"2026-11","amount_limit":null,',
    '"amount_used":"900.00","amount_remaining":null,"count_limit":9,"count_used":12,',
    '"count_remaining":0}}',
  );
});

test('a program: ceilings are null where there are none', async (t) => {
  const program: Program = {
    id: 'prg_1',
    clientId: 'cli_1',
    name: 'Everyday',
    status: 'ACTIVE',
    rails: ['card'],
    verificationMode: 'any',
    defaultCurrency: 'USD',
    limitCeilings: { maxDailyAmount: '1000' },
    fraudTriageEnabled: false,
    metadataJson: '{"a":1}',
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
  exact(
    t,
    programView(program, 'sandbox', moneyText),
    '{"id":"prg_1","client_id":"cli_1","environment":"sandbox","name":"Everyday",',
    '"status":"ACTIVE","rails":["card"],"verification_mode":"any","default_currency":"USD",',
    '"limit_ceilings":{"max_amount_per_transaction":null,"max_daily_amount":"1000.00",',
    '"max_monthly_amount":null},"fraud_triage_enabled":false,"metadata":{"a":1},',
    `"created_at":"${at}","updated_at":"${at}"}`,
  );
});

const entry = {
  id: 'auth_1',
  clientId: 'cli_1',
  principalId: 'prn_1',
  transactionId: 'txn_1',
  correlationKey: 'txn_1',
  decision: 'DECLINE',
  reasonCodes: ['AGENT_NOT_FOUND'],
  amount: '10.5',
  currency: 'USD',
  rail: 'CARD',
  kyaScore: 0,
  trustLevel: 'REGISTERED',
  riskScore: 0.5,
  viVerified: false,
  processingTimeMs: 3.5,
  decisionHistory: [
    { decision: 'STEP_UP', at, by: 'engine', reasonCodes: ['AMOUNT_STEP_UP'] },
    { decision: 'DECLINE', at, by: 'prn_1', reasonCodes: ['STEP_UP_DENIED'] },
  ],
  reversedAmount: '0',
  createdAt: at,
} as unknown as AuthorizationEntry;

test('a log entry: nothing is absent, money is text alone and a number in lists', async (t) => {
  const text = (amount: string, reversed: string) =>
    [
      `{"id":"auth_1","agent_id":null,"mandate_id":null,"amount":${amount},"currency":"USD",`,
      '"mcc":null,"merchant_id":null,"country":null,"decision":"DECLINE",',
      '"reason_codes":["AGENT_NOT_FOUND"],"kya_score":0,"trust_level":"REGISTERED",',
      `"processing_time_ms":3.5,"created_at":"${at}","transaction_id":"txn_1",`,
      '"correlation_key":"txn_1","rail":"CARD","merchant_name":null,"client_reference":null,',
      '"risk_score":0.5,"vi_verified":false,"decision_history":[',
      `{"decision":"STEP_UP","at":"${at}","by":"engine","reason_codes":["AMOUNT_STEP_UP"]},`,
      `{"decision":"DECLINE","at":"${at}","by":"prn_1","reason_codes":["STEP_UP_DENIED"]}],`,
      `"step_up":null,"reversed_amount":${reversed},"mandate_hash":null,"attestation":null}`,
    ].join('');
  exact(t, logEntryView(entry, moneyText), text('"10.50"', '"0.00"'));
  exact(t, logEntryView(entry, moneyNumber), text('10.5', '0'));
  const open = { status: 'PENDING', expiresAt: at };
  exact(
    t,
    logEntryView({ ...entry, stepUp: open }, moneyText).step_up,
    `{"status":"PENDING","expires_at":"${at}","resolved_at":null,"resolved_by":null}`,
  );
  exact(
    t,
    pendingStepUpView({ ...entry, agentId: 'agt_1', merchantName: 'Shop', stepUp: open }),
    '{"authorization_id":"auth_1","agent_id":"agt_1","amount":10.5,"currency":"USD",',
    '"merchant_name":"Shop","reason_codes":["AGENT_NOT_FOUND"],',
    `"expires_at":"${at}","created_at":"${at}"}`,
  );
});

const outcome: Outcome = {
  id: 'out_1',
  authorizationId: 'auth_1',
  principalId: 'prn_1',
  outcomeType: 'SETTLED',
  reportedAt: at,
  reportedBy: 'ISSUER',
  settledAmount: '10.5',
  settledCurrency: 'USD',
  settledAt: at,
  createdAt: at,
};

test('an outcome alone, in a list, and the rows of a batch', async (t) => {
  exact(
    t,
    outcomeView(outcome, moneyText),
    '{"id":"out_1","authorization_id":"auth_1","tenant_id":"prn_1","outcome_type":"SETTLED",',
    `"reported_at":"${at}","reported_by":"ISSUER","evidence":{},"notes":null,`,
    '"external_reference_id":null,"settled_amount":"10.50","settled_currency":"USD",',
    `"settled_at":"${at}","created_at":"${at}"}`,
  );
  t.match(outcomeView(outcome, moneyNumber), { settled_amount: 10.5 });
  t.match(outcomeView({ ...outcome, settledCurrency: undefined }, moneyText), {
    settled_amount: '10.5',
    settled_currency: null,
  });
  exact(
    t,
    outcomeBatchView([
      { status: 'created', outcome },
      { status: 'invalid', error: 'no type' },
      undefined,
    ]),
    '{"total":3,"created":1,"updated":0,"duplicate":0,"not_found":0,"invalid":2,"results":[',
    '{"index":0,"status":"created","id":"out_1","authorization_id":"auth_1","error":null},',
    '{"index":1,"status":"invalid","id":null,"authorization_id":null,"error":"no type"},',
    '{"index":2,"status":"invalid","id":null,"authorization_id":null,',
    '"error":"The outcome was not recorded."}]}',
  );
});

test('reversals, settlements, webhooks and their deliveries', async (t) => {
  const reversal = {
    authorizationId: 'auth_1',
    reversed: true,
    releasedAmount: '5.50',
    partial: true,
    alreadyReversed: false,
    decision: 'APPROVE',
  };
  exact(
    t,
    reversalView(reversal),
    '{"authorization_id":"auth_1","reversed":true,"released_amount":5.5,"partial":true,',
    '"already_reversed":false,',
    '"message":"Part of the amount is released; the transaction still counts."}',
  );
  const nothing = { ...reversal, reversed: false, partial: false, releasedAmount: '' };
  t.match(reversalView({ ...nothing, decision: 'DECLINE' }), {
    released_amount: 0,
    message: 'Nothing was reserved: the decision is DECLINE.',
  });
  const settlement: SettlementRecord = {
    id: 'stl_1',
    authorizationId: 'auth_1',
    chain: 'base',
    txHash: '0x1',
    status: 'PENDING',
    confirmations: 2,
    blockNumber: '12345678',
    createdAt: at,
    requiredConfirmations: 12,
  };
  exact(
    t,
    settlementView(settlement),
    '{"id":"stl_1","authorization_id":"auth_1","chain":"base","tx_hash":"0x1",',
    '"status":"PENDING","confirmations":2,"block_number":12345678,"settled_at":null,',
    `"created_at":"${at}","required_confirmations":12,"failure_reason":null}`,
  );
  const webhook: Webhook = {
    id: 'wh_1',
    url: 'https://example.com/',
    eventTypes: ['*'],
    active: true,
    consecutiveFailures: 0,
    createdAt: at,
  };
  exact(
    t,
    webhookView(webhook),
    '{"id":"wh_1","url":"https://example.com/","event_types":["*"],"active":true,',
    '"description":null,"consecutive_failures":0,"last_delivery_at":null,',
    `"last_status_code":null,"created_at":"${at}"}`,
  );
  const delivery: Delivery = {
    id: 'whd_1',
    eventId: 'evt_1',
    event: 'gate.fired',
    status: 'FAILED',
    attempts: [{ at, durationMs: 12, error: 'timeout' }],
    createdAt: at,
  };
  exact(
    t,
    deliveryView(delivery),
    '{"id":"whd_1","event_id":"evt_1","event":"gate.fired","status":"FAILED","attempts":[',
    `{"at":"${at}","status_code":null,"error":"timeout","duration_ms":12}],"created_at":"${at}"}`,
  );
  const catalog = eventCatalogView(webhookEventCatalog);
  t.equal(catalog.wildcard, '*');
  t.same(Object.keys(catalog.event_types[0] ?? {}), ['type', 'description', 'sample_payload']);
});

test('published keys carry no private half, and revoked ones leave the JWKS', async (t) => {
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: 'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns',
    y: 'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM',
    d: 'secret',
  };
  const key: SigningKey = {
    kid: 'one',
    status: 'ACTIVE',
    jwkJson: JSON.stringify(jwk),
    notBefore: at,
  };
  const revoked = { ...key, kid: 'two', status: 'RETIRED', retiredAt: at, revokedAt: at };
  const signing = [key, revoked].map((each) => ({ environment: 'sandbox' as const, key: each }));
  const published = `{"kty":"EC","crv":"P-256","x":"${jwk.x}","y":"${jwk.y}",`;
  exact(
    t,
    jwksView({ signing, token: [] }),
    `{"keys":[${published}"kid":"one","use":"sig","alg":"ES256"}]}`,
  );
  const { issuer, keys } = publicKeysView({ signing, token: [] }, 'https://api.test');
  t.equal(issuer, 'https://api.test');
  t.notOk(JSON.stringify(keys).includes('secret'));
  t.match(keys[1], { kid: 'two', env: 'sandbox', status: 'RETIRED', revoked_at: at });
  t.match(keys[0]?.pem, /^-----BEGIN PUBLIC KEY-----/);
});

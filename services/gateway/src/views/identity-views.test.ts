import type { AgentProfile } from '@countersign/proto/decision';
import type { Agent, Mandate, Principal, Program } from '@countersign/proto/identity';
import { test } from 'tap';
import { exact } from '../test/exact.js';
import {
  agentStatusView,
  agentSummaryView,
  onboardingAgentView,
  runtimeAgentView,
} from './agent.js';
import { agentMetricsView } from './agent-metrics.js';
import { budgetView, onboardingMandateView, runtimeMandateView } from './mandate.js';
import { moneyNumber, moneyText } from './money.js';
import { actingPrincipalView, principalView, registrationStatus } from './principal.js';
import { programView } from './program.js';

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
};
const profile: AgentProfile = {
  agentId: 'agt_1',
  kyaScore: 0.65,
  totalTransactions: 12,
  declinedTransactions: 1,
  successfulTransactions: 10,
  declineRate: 0.0833,
  disputeDeflectionRate: 1,
};

test('an agent: onboarding and runtime shapes differ, no score is null', async (t) => {
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
  blockedMccs: ['7995'],
  allowedCountries: ['USA'],
  blockedCountries: ['PRK'],
  allowedMerchants: ['m-1'],
  blockedMerchants: ['m-9'],
  allowedChains: ['base'],
  allowedAssets: ['USDC'],
  allowedCounterparties: ['0xabc'],
  crypto: { chains: ['base'], assets: ['USDC'], maxTransfer: '50.100000' },
  validFrom: at,
  validUntil: at,
  mandateHash: 'sha256:00',
  createdAt: at,
  version: 1,
};
const terms = [
  '"currency":"USD","allowed_mccs":["5411"],"blocked_mccs":["7995"],"allowed_countries":["USA"],',
  '"blocked_countries":["PRK"],"allowed_merchants":["m-1"],"blocked_merchants":["m-9"],',
  '"max_daily_count":null,"max_monthly_count":9,"allowed_chains":["base"],',
  '"allowed_assets":["USDC"],"allowed_counterparties":["0xabc"],',
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
    budgetView(
      { ...mandate, currency: 'JPY', maxDailyAmount: '200' },
      { ...usage, dailyAmount: '10' },
    ).day,
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

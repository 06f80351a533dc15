import type { Retry } from './retry.js';

export type Severity = 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
export type ReasonCategory =
  | 'identity'
  | 'verifiable_intent'
  | 'mandate'
  | 'merchant'
  | 'crypto'
  | 'limits'
  | 'trust_and_risk'
  | 'step_up'
  | 'system';

type Row = readonly [code: string, severity: Severity, retry: Retry, description: string];

const identity: Row[] = [
  ['AGENT_NOT_FOUND', 'HIGH', 'never', 'The caller has no such agent.'],
  ['AGENT_SUSPENDED', 'HIGH', 'after_human', 'The agent is suspended until it is reactivated.'],
  ['AGENT_REVOKED', 'CRITICAL', 'never', 'The agent is permanently revoked.'],
  [
    'PRINCIPAL_NOT_VERIFIED',
    'HIGH',
    'after_human',
    'The principal has not completed verification.',
  ],
  [
    'PRINCIPAL_PROHIBITED',
    'CRITICAL',
    'never',
    'The principal may not spend through this service.',
  ],
  ['PROGRAM_SUSPENDED', 'HIGH', 'after_human', "The agent's program is paused or closed."],
  ['CAPABILITY_NOT_GRANTED', 'MEDIUM', 'change_request', 'The agent lacks the capability named.'],
];

const verifiableIntent: Row[] = [
  ['VI_CHAIN_MALFORMED', 'HIGH', 'change_request', 'The intent credential chain cannot be read.'],
  [
    'VI_SIGNATURE_INVALID',
    'CRITICAL',
    'change_request',
    'A signature of the chain does not verify.',
  ],
  ['VI_CREDENTIAL_EXPIRED', 'MEDIUM', 'change_request', 'A credential of the chain has expired.'],
  ['VI_CREDENTIAL_NOT_YET_VALID', 'MEDIUM', 'change_request', 'A credential is not valid yet.'],
  [
    'VI_BINDING_INVALID',
    'HIGH',
    'change_request',
    'The credentials of the chain do not belong together.',
  ],
  ['VI_AUDIENCE_MISMATCH', 'HIGH', 'change_request', 'The chain was issued for another audience.'],
  ['VI_NONCE_REPLAY', 'CRITICAL', 'change_request', 'The presentation has been used before.'],
  [
    'VI_AGENT_KEY_MISMATCH',
    'CRITICAL',
    'never',
    "The chain delegates to a key that is not the agent's.",
  ],
  [
    'VI_SUBJECT_MISMATCH',
    'CRITICAL',
    'never',
    'The user of the chain is not bound to this principal.',
  ],
  [
    'VI_TRANSACTION_MISMATCH',
    'HIGH',
    'change_request',
    'The chain authorizes another transaction.',
  ],
  ['VI_CONSTRAINT_VIOLATED', 'HIGH', 'change_request', 'A constraint the user set is not met.'],
  ['VI_MANDATE_CONSUMED', 'HIGH', 'never', 'The intent mandate allows no further payment.'],
  ['VI_BUDGET_EXCEEDED', 'MEDIUM', 'change_request', 'The budget the user set would be exceeded.'],
  ['VI_OCCURRENCES_EXCEEDED', 'MEDIUM', 'never', 'The user allowed no more payments.'],
  ['VI_DISCLOSURE_INCOMPLETE', 'HIGH', 'change_request', 'A required disclosure is missing.'],
  ['VI_CONSTRAINT_UNRESOLVED', 'MEDIUM', 'after_human', 'A constraint of an unknown type was set.'],
  ['VI_ISSUER_UNTRUSTED', 'MEDIUM', 'after_human', 'The issuer of the chain is not trusted here.'],
  ['VI_ISSUER_UNAVAILABLE', 'MEDIUM', 'transient', 'The keys of the issuer cannot be fetched.'],
  [
    'VI_AGENT_KEY_NOT_REGISTERED',
    'MEDIUM',
    'after_human',
    'The agent has no registered P-256 key.',
  ],
  ['VI_REQUIRED', 'MEDIUM', 'change_request', 'Policy requires a verifiable intent chain.'],
];

const mandate: Row[] = [
  ['NO_ACTIVE_MANDATE', 'HIGH', 'after_human', 'The agent has no active mandate for this rail.'],
  ['MANDATE_EXPIRED', 'MEDIUM', 'after_human', 'The newest mandate for this rail has expired.'],
  ['CURRENCY_MISMATCH', 'MEDIUM', 'change_request', 'The mandate is in another currency.'],
];

const merchant: Row[] = [
  ['MCC_REQUIRED', 'LOW', 'change_request', 'The mandate restricts merchant categories; send mcc.'],
  ['MCC_NOT_ALLOWED', 'MEDIUM', 'change_request', 'The merchant category is not allowed.'],
  ['MCC_BLOCKED', 'MEDIUM', 'change_request', 'The merchant category is blocked.'],
  ['COUNTRY_REQUIRED', 'LOW', 'change_request', 'The mandate restricts countries; send country.'],
  ['COUNTRY_NOT_ALLOWED', 'MEDIUM', 'change_request', 'The country is not allowed.'],
  ['COUNTRY_BLOCKED', 'MEDIUM', 'change_request', 'The country is blocked.'],
  [
    'MERCHANT_ID_REQUIRED',
    'LOW',
    'change_request',
    'The mandate names merchants; send merchant_id.',
  ],
  ['MERCHANT_NOT_ALLOWED', 'MEDIUM', 'change_request', 'The merchant is not allowed.'],
  ['MERCHANT_BLOCKED', 'MEDIUM', 'change_request', 'The merchant is blocked.'],
];

const crypto: Row[] = [
  ['CHAIN_NOT_ALLOWED', 'MEDIUM', 'change_request', 'The chain is not allowed.'],
  ['ASSET_NOT_ALLOWED', 'MEDIUM', 'change_request', 'The asset is not allowed.'],
  ['COUNTERPARTY_NOT_ALLOWED', 'HIGH', 'change_request', 'The counterparty is not allowed.'],
];

const limits: Row[] = [
  [
    'AMOUNT_EXCEEDS_PER_TXN',
    'MEDIUM',
    'change_request',
    'The amount exceeds the limit for one transaction.',
  ],
  [
    'COGNITIVE_LIMIT_APPLIED',
    'MEDIUM',
    'change_request',
    "The agent's trust zone lowers its limit.",
  ],
  ['DAILY_AMOUNT_EXCEEDED', 'MEDIUM', 'after_window', 'The daily amount would be exceeded.'],
  ['MONTHLY_AMOUNT_EXCEEDED', 'MEDIUM', 'after_window', 'The monthly amount would be exceeded.'],
  [
    'DAILY_COUNT_EXCEEDED',
    'MEDIUM',
    'after_window',
    'The maximum number of payments per day is reached.',
  ],
  [
    'MONTHLY_COUNT_EXCEEDED',
    'MEDIUM',
    'after_window',
    'The maximum number of payments per month is reached.',
  ],
];

const trustAndRisk: Row[] = [
  [
    'KYA_SCORE_BELOW_MINIMUM',
    'CRITICAL',
    'after_human',
    "The agent's trust score is below the minimum.",
  ],
  ['KYA_SCORE_STEP_UP', 'HIGH', 'after_human', "The agent's trust score requires a human."],
  ['RISK_SCORE_HARD_DECLINE', 'CRITICAL', 'never', 'The risk of this transaction is too high.'],
  ['RISK_SCORE_STEP_UP', 'HIGH', 'after_human', 'The risk of this transaction requires a human.'],
  [
    'VELOCITY_BURST',
    'HIGH',
    'after_human',
    'Too many requests in a short time, or too many challenges that nobody has answered.',
  ],
  [
    'INTENT_ANOMALY_STEP_UP',
    'HIGH',
    'after_human',
    'The transaction differs from what the agent usually does; a human must confirm.',
  ],
  [
    'INTENT_ANOMALY_DECLINE',
    'CRITICAL',
    'never',
    'The transaction differs too much from what the agent usually does.',
  ],
  ['AMOUNT_STEP_UP', 'LOW', 'after_human', 'Amounts of this size must be confirmed by a human.'],
  [
    'NEW_MERCHANT_STEP_UP',
    'LOW',
    'after_human',
    'A first payment to a merchant must be confirmed.',
  ],
  ['FRAUD_SUSPECTED', 'CRITICAL', 'never', 'Fraud is suspected.'],
];

const stepUp: Row[] = [
  ['STEP_UP_CONFIRMED', 'LOW', 'never', 'A human confirmed the transaction.'],
  [
    'STEP_UP_DENIED',
    'MEDIUM',
    'never',
    'A human denied the transaction, or five wrong codes were entered.',
  ],
];

const system: Row[] = [
  [
    'SYSTEM_FAIL_SAFE',
    'LOW',
    'transient',
    'The decision could not be made safely; the request reserved nothing.',
  ],
];

/** By category; the order of categories, and of the codes in each, is contract. */
export const reasonTable: ReadonlyArray<readonly [ReasonCategory, Row[]]> = [
  ['identity', identity],
  ['verifiable_intent', verifiableIntent],
  ['mandate', mandate],
  ['merchant', merchant],
  ['crypto', crypto],
  ['limits', limits],
  ['trust_and_risk', trustAndRisk],
  ['step_up', stepUp],
  ['system', system],
];

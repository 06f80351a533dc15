import { newId } from '@countersign/kernel/id';

/** Inner records as the services behind the edge would answer them. */
export const at = '2026-11-21T09:30:00.000Z';

type Given = Record<string, unknown>;

export function principalRecord(given: Given = {}) {
  return {
    id: newId('principal'),
    clientId: newId('client'),
    principalKind: 'personal',
    verificationStatus: 'VERIFIED',
    verificationMode: 'client_attested',
    riskTier: 'LOW',
    programIds: [newId('program')],
    createdAt: at,
    version: 1,
    ...given,
  };
}

export function agentRecord(given: Given = {}) {
  return {
    id: newId('agent'),
    principalId: newId('principal'),
    clientId: newId('client'),
    programId: newId('program'),
    did: 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
    didMethod: 'key',
    name: 'Shopper',
    status: 'ACTIVE',
    trustLevel: 'REGISTERED',
    capabilities: ['PURCHASE'],
    createdAt: at,
    version: 1,
    ...given,
  };
}

export function mandateRecord(given: Given = {}) {
  return {
    id: newId('mandate'),
    agentId: newId('agent'),
    principalId: newId('principal'),
    clientId: newId('client'),
    status: 'ACTIVE',
    rails: ['card'],
    currency: 'USD',
    maxAmountPerTransaction: '100',
    maxDailyAmount: '200',
    validFrom: at,
    validUntil: at,
    mandateHash: `sha256:${'0'.repeat(64)}`,
    createdAt: at,
    version: 1,
    ...given,
  };
}

export function entryRecord(given: Given = {}) {
  return {
    id: newId('authorization'),
    clientId: newId('client'),
    principalId: newId('principal'),
    agentId: newId('agent'),
    transactionId: newId('transaction'),
    correlationKey: 'order-1',
    decision: 'APPROVE',
    amount: '10',
    currency: 'USD',
    rail: 'CARD',
    kyaScore: 0.65,
    trustLevel: 'REGISTERED',
    riskScore: 0.17,
    processingTimeMs: 4,
    decisionHistory: [{ decision: 'APPROVE', at, by: 'engine', reasonCodes: [] }],
    reversedAmount: '0',
    createdAt: at,
    ...given,
  };
}

export function outcomeRecord(given: Given = {}) {
  return {
    id: newId('outcome'),
    authorizationId: newId('authorization'),
    principalId: newId('principal'),
    outcomeType: 'SETTLED',
    reportedAt: at,
    reportedBy: 'ISSUER',
    settledAmount: '10',
    settledCurrency: 'USD',
    createdAt: at,
    ...given,
  };
}

export function webhookRecord(given: Given = {}) {
  return {
    id: newId('webhook'),
    url: 'https://example.com/',
    eventTypes: ['*'],
    active: true,
    consecutiveFailures: 0,
    createdAt: at,
    ...given,
  };
}

export function deliveryRecord(given: Given = {}) {
  return {
    id: newId('delivery'),
    eventId: newId('event'),
    event: 'gate.fired',
    status: 'DELIVERED',
    attempts: [{ at, statusCode: 200, durationMs: 12 }],
    createdAt: at,
    ...given,
  };
}

export function settlementRecord(given: Given = {}) {
  return {
    id: newId('settlement'),
    authorizationId: newId('authorization'),
    chain: 'base',
    txHash: `0x${'ab'.repeat(32)}`,
    status: 'SUBMITTED',
    confirmations: 0,
    createdAt: at,
    requiredConfirmations: 12,
    ...given,
  };
}

export function fraudCaseRecord(given: Given = {}) {
  return {
    id: newId('fraudCase'),
    authorizationId: newId('authorization'),
    agentId: newId('agent'),
    severity: 'CRITICAL',
    signals: [{ code: 'FRAUD_SUSPECTED', score: 1 }],
    amount: '666.01',
    currency: 'USD',
    status: 'OPEN',
    createdAt: at,
    ...given,
  };
}

export function fraudPatternRecord() {
  return {
    id: newId('fraudPattern'),
    agentId: newId('agent'),
    principalId: newId('principal'),
    confidence: 0.766,
    indicators: ['AGENT_KEY_FAILURES', 'STEP_UPS_DENIED'],
    authorizationIds: [newId('authorization'), newId('authorization')],
    recommendedAction: 'REVIEW_AGENT',
    createdAt: at,
  };
}

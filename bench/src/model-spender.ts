import type { Stack } from '@countersign/tools/stack';
import { call } from './public-api.js';

/** A spender with generous limits, created through the public API; all others are copies of it. */
export interface ModelSpender {
  apiKey: string;
  clientId: string;
  principalId: string;
  agentId: string;
  mandateId: string;
}

const plenty = '900000000000.00';

/** Limits that no measurement reaches, and lists that every payment is checked against. */
const mandate = {
  rails: ['card'],
  limits: {
    max_amount_per_transaction: plenty,
    max_daily_amount: plenty,
    max_monthly_amount: plenty,
    currency: 'USD',
  },
  allowed_mccs: ['5411', '5812', '5912'],
  allowed_countries: ['USA', 'CAN', 'GBR'],
};

/** A load test would otherwise trigger burst detection. */
const thresholds = { velocity_burst_count: 1_000_000, velocity_burst_window_seconds: 10 };

export async function onboardModel(stack: Stack): Promise<ModelSpender> {
  const demo = stack.seed?.live;
  if (!demo) throw new Error('the stack was started without a seed');
  const { api_key: apiKey, client_id: clientId, program_id: programId } = demo;
  const key = { 'x-api-key': apiKey };
  const {
    principal,
    agent,
    mandate: granted,
  } = await call(`${stack.baseUrl}/api/v1/onboard`, {
    body: onboarding(programId),
    headers: key,
  });
  await call(`${stack.baseUrl}/api/v1/thresholds`, {
    method: 'PUT',
    body: thresholds,
    headers: { ...key, 'x-principal-id': principal.id },
  });
  return {
    apiKey,
    clientId,
    principalId: principal.id,
    agentId: agent.id,
    mandateId: granted.id,
  };
}

function onboarding(programId: string): object {
  return {
    principal: {
      principal_kind: 'personal',
      program_ids: [programId],
      profile: { display_name: 'Load Test', email: 'load@example.com' },
      verification: {
        type: 'KYC',
        mode: 'client_attested',
        attestation: {
          attested_by: 'Load Test',
          scope: 'identity',
          statement: 'Made for a measurement.',
          evidence_ref: 'bench',
        },
      },
    },
    agent: { name: 'Load Test' },
    mandate,
  };
}

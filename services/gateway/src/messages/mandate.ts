import type { CreateMandateRequestInput } from '@countersign/proto/identity';
import type { Tenant } from '../request.js';
import type { CreateMandateBody, GrantMandateBody, MerchantTerm } from '../schemas/mandate.js';

interface Grant {
  id: string;
  clientId: string;
  agentId: string;
}

/** `max_daily_count` in a body is `maxDailyCount` in a message. */
type MessageName<S extends string> = S extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<MessageName<Rest>>}`
  : S;

/** Checks that no field of a body is left out, since a term that is would restrict nothing. */
type Whole<Fields extends string> = Record<MessageName<Fields>, unknown> & Record<string, unknown>;

type GrantedField = Exclude<keyof GrantMandateBody, 'limits'> | keyof GrantMandateBody['limits'];

/** The onboarding plane's mandate; an empty currency means the Program's default. */
export function grantMandateMessage(
  { id, clientId, agentId }: Grant,
  body: GrantMandateBody,
): CreateMandateRequestInput {
  const { limits, crypto } = body;
  return {
    id,
    clientId,
    agentId,
    rails: body.rails,
    currency: limits.currency ?? '',
    maxAmountPerTransaction: limits.max_amount_per_transaction,
    maxDailyAmount: limits.max_daily_amount,
    maxMonthlyAmount: limits.max_monthly_amount,
    ...merchantTerms(body),
    crypto: crypto && {
      chains: crypto.chains,
      assets: crypto.assets,
      maxTransfer: crypto.max_transfer,
    },
    validUntil: body.valid_until,
  } satisfies Whole<GrantedField>;
}

/** The runtime plane's mandate: its rails follow from what is given. */
export function createMandateMessage(
  id: string,
  tenant: Tenant,
  body: CreateMandateBody,
): CreateMandateRequestInput {
  return {
    id,
    clientId: tenant.clientId,
    principalId: tenant.principalId,
    agentId: body.agent_id,
    currency: body.currency,
    maxAmountPerTransaction: body.max_amount_per_transaction,
    maxDailyAmount: body.max_daily_amount,
    maxMonthlyAmount: body.max_monthly_amount,
    ...merchantTerms(body),
    allowedChains: body.allowed_chains,
    allowedAssets: body.allowed_assets,
    allowedCounterparties: body.allowed_counterparties,
    validUntil: body.valid_until,
  } satisfies Whole<keyof CreateMandateBody>;
}

function merchantTerms(body: Pick<GrantMandateBody, MerchantTerm>) {
  return {
    allowedMccs: body.allowed_mccs,
    blockedMccs: body.blocked_mccs,
    allowedCountries: body.allowed_countries,
    blockedCountries: body.blocked_countries,
    allowedMerchants: body.allowed_merchants,
    blockedMerchants: body.blocked_merchants,
    maxDailyCount: body.max_daily_count,
    maxMonthlyCount: body.max_monthly_count,
    validFrom: body.valid_from,
  };
}

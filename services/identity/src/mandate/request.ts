import { currencyExponent } from '@countersign/kernel/currency';
import { type Rail, rails } from '@countersign/kernel/vocabulary';
import type { CreateMandateRequest } from '@countersign/proto/identity';
import { FieldErrors, type Report } from '../field-errors.js';
import { refusal } from '../refusal.js';
import { type Ceilings, type Limits, readLimits } from './limits.js';
import { type ListField, listFields, type MandateTerms, type Plane } from './terms.js';
import { readValidity } from './validity.js';

export interface GrantContext {
  agentId: string;
  principalId: string;
  /** The agent's program; null only for an agent that has none. */
  program: (Ceilings & { id: string; rails: string[]; defaultCurrency: string }) | null;
  plane: Plane;
  /** Prepended to the field names in errors: `mandate.` within POST /onboard. */
  fieldPrefix: string;
  nowMs: number;
}

const maxMerchants = 500;

/**
 * The terms that a request asks for. Throws the refusal of an onboarding business rule, or one
 * VALIDATION_ERROR that lists all invalid fields.
 */
export function readTerms(request: CreateMandateRequest, grant: GrantContext): MandateTerms {
  const errors = new FieldErrors(grant.fieldPrefix);
  const { report } = errors;
  const currency = request.currency || grant.program?.defaultCurrency || 'USD';
  if (currencyExponent(currency) === undefined) {
    const field = grant.plane === 'onboarding' ? 'limits.currency' : 'currency';
    report(field, 'invalid_value', `${currency} is not an ISO 4217 currency.`);
  }
  const terms: MandateTerms = {
    agentId: grant.agentId,
    principalId: grant.principalId,
    programId: grant.program?.id ?? null,
    rails: readRails(request, grant, report),
    currency,
    ...readLists(request, report),
    ...(readLimits(request, { ...grant, currency, report }) satisfies Limits),
    ...readValidity(request, { nowMs: grant.nowMs, report }),
  };
  errors.throwIfAny();
  return terms;
}

function readRails(request: CreateMandateRequest, grant: GrantContext, report: Report): Rail[] {
  const enabled = new Set(grant.program?.rails ?? []);
  if (grant.plane === 'runtime') return runtimeRails(request, grant.program, report);
  const requested = [...new Set(request.rails)];
  const known = rails.filter((rail) => requested.includes(rail));
  if (known.length === 0 || known.length !== requested.length) {
    report('rails', 'invalid_value', 'rails must name card, crypto or both.');
  }
  for (const rail of known) {
    if (!enabled.has(rail)) throw refusal.railNotEnabled(rail);
  }
  checkCryptoTerms(request, known.includes('crypto'), report);
  return known;
}

/**
 * A runtime request does not list rails: it covers card, and crypto if it has crypto terms, as far
 * as the program enables them. A mandate without any rail is rejected, as it would permit no
 * payment.
 */
function runtimeRails(
  request: CreateMandateRequest,
  program: GrantContext['program'],
  report: Report,
): Rail[] {
  if (!program) return ['card'];
  const { allowedChains, allowedAssets, allowedCounterparties } = request;
  const mentionsCrypto =
    allowedChains.length + allowedAssets.length + allowedCounterparties.length > 0;
  const covered = rails.filter(
    (rail) => program.rails.includes(rail) && (rail === 'card' || mentionsCrypto),
  );
  if (covered.length === 0) {
    const remedy = 'set allowed_chains, allowed_assets or allowed_counterparties.';
    const message = `The agent's program enables only the crypto rail: ${remedy}`;
    report('allowed_chains', 'rail_not_enabled', message);
  }
  return covered;
}

/** Empty lists are rejected, because they would permit every chain or asset by omission. */
function checkCryptoTerms(request: CreateMandateRequest, wanted: boolean, report: Report): void {
  const { crypto } = request;
  if (wanted && !crypto) report('crypto', 'required', 'crypto is required with the crypto rail.');
  if (!wanted && crypto) report('crypto', 'not_allowed', 'crypto needs the crypto rail.');
  if (!wanted || !crypto) return;
  if (crypto.chains.length === 0) {
    report('crypto.chains', 'too_small', 'crypto.chains must name at least one chain.');
  }
  if (crypto.assets.length === 0) {
    report('crypto.assets', 'too_small', 'crypto.assets must name at least one asset.');
  }
}

/** The lists are sets of NFC text: duplicates are removed, Unicode forms compare as equal. */
function readLists(request: CreateMandateRequest, report: Report): Record<ListField, string[]> {
  const given = {
    ...request,
    allowedChains: request.crypto?.chains ?? request.allowedChains,
    allowedAssets: request.crypto?.assets ?? request.allowedAssets,
  };
  const lists = Object.fromEntries(
    listFields.map((field) => [field, [...new Set(given[field].map((v) => v.normalize('NFC')))]]),
  ) as Record<ListField, string[]>;
  for (const [field, list] of [
    ['allowed_merchants', lists.allowedMerchants],
    ['blocked_merchants', lists.blockedMerchants],
  ] as const) {
    if (list.length > maxMerchants) {
      report(field, 'too_big', `${field} may name at most ${maxMerchants} merchants.`);
    }
  }
  return lists;
}

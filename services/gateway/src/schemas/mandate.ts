import { mandateStatuses, rails } from '@countersign/kernel/vocabulary';
import { z } from 'zod';
import { amount, checkExponent, moneyNumber, moneyText } from './amount.js';
import { answeredId, idOf } from './id.js';
import { setOf } from './list.js';
import { country, currency, mcc } from './place.js';
import { always, loose, report } from './rule.js';
import { sent } from './sent.js';
import { comparedText, form } from './text.js';
import { answeredTime, datetime } from './time.js';

const maxListed = 500;
export const rail = z.enum(rails).meta({ id: 'Rail' });
const status = z.enum(mandateStatuses).meta({ id: 'MandateStatus' });
const count = z
  .int()
  .min(1)
  .max(1_000_000_000)
  .meta({ examples: [100] });

export const chain = form(
  /^[a-z0-9][a-z0-9_-]{0,63}$/,
  'must be the name of a chain in lower case, such as base',
).meta({ examples: ['base'] });
export const asset = form(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/,
  'must be the symbol of an asset, such as USDC',
).meta({ examples: ['USDC'] });
export const counterparty = form(
  /^[A-Za-z0-9][A-Za-z0-9:._-]{0,127}$/,
  'must be an address on the chain',
).meta({ examples: ['0x52908400098527886E0F7030069857D2E4169EE7'] });

const merchants = setOf(comparedText(255), maxListed).optional();

/** Lists that restrict a mandate on either plane. */
const merchantTerms = {
  allowed_mccs: setOf(mcc, maxListed).optional(),
  blocked_mccs: setOf(mcc, maxListed).optional(),
  allowed_countries: setOf(country, maxListed).optional(),
  blocked_countries: setOf(country, maxListed).optional(),
  allowed_merchants: merchants.meta({ description: 'Exact merchant ids.' }),
  blocked_merchants: merchants.meta({ description: 'Exact merchant ids.' }),
  max_daily_count: count.optional(),
  max_monthly_count: count.optional(),
  valid_from: datetime().optional().meta({ description: 'Default: now.' }),
};
export type MerchantTerm = keyof typeof merchantTerms;

const limits = z.strictObject({
  max_amount_per_transaction: amount(),
  max_daily_amount: amount(),
  max_monthly_amount: amount().optional(),
  currency: currency.optional().meta({ description: "Default: the Program's." }),
});

const maxTransferMeaning =
  'The most one transfer may move, in units of the asset, whatever its `amount`. A USDC counts ' +
  'as a dollar, so for USDC the `amount` is compared. Above it: `AMOUNT_EXCEEDS_PER_TXN`.';

const cryptoTerms = z.strictObject({
  chains: setOf(chain, maxListed, 1),
  assets: setOf(asset, maxListed, 1),
  max_transfer: amount().optional().meta({ description: maxTransferMeaning }),
});

export const grantMandate = z
  .strictObject({
    rails: setOf(rail, 2, 1),
    limits,
    ...merchantTerms,
    crypto: cryptoTerms
      .optional()
      .meta({ description: 'Required if and only if rails has crypto.' }),
    valid_until: datetime()
      .optional()
      .meta({ description: 'Default: 365 days after `valid_from`. At most 5 years from now.' }),
  })
  .superRefine((value, context) => {
    checkCryptoTerms(value, context);
    const given = loose(loose(value).limits);
    for (const field of amountFields) {
      checkExponent(context, { path: ['limits', field], value: given[field] }, given.currency);
    }
  }, always)
  .meta({
    id: 'GrantMandate',
    ...sent({
      rails: ['card'],
      limits: { max_amount_per_transaction: '100.00', max_daily_amount: '200.00', currency: 'USD' },
      allowed_mccs: ['5411'],
      allowed_countries: ['USA'],
    }),
  });
export type GrantMandateBody = z.output<typeof grantMandate>;

const amountFields = [
  'max_amount_per_transaction',
  'max_daily_amount',
  'max_monthly_amount',
] as const;

function checkCryptoTerms(value: unknown, context: z.RefinementCtx): void {
  const { rails, crypto } = loose(value);
  if (!Array.isArray(rails)) return;
  const wanted = rails.includes('crypto');
  if (wanted === (crypto !== undefined)) return;
  report(context, {
    path: ['crypto'],
    type: wanted ? 'crypto_required' : 'crypto_not_allowed',
    message: wanted ? 'is required when rails has crypto' : 'is only allowed when rails has crypto',
  });
}

/** POST /mandates says "2 decimal places": no currency may have more, some have fewer. */
const runtimeAmount = amount(2);

export const createMandate = z
  .strictObject({
    agent_id: idOf('agent'),
    valid_until: datetime(),
    max_amount_per_transaction: runtimeAmount,
    currency: currency.default('USD'),
    max_daily_amount: runtimeAmount.optional(),
    max_monthly_amount: runtimeAmount.optional(),
    ...merchantTerms,
    allowed_chains: setOf(chain, maxListed).optional(),
    allowed_assets: setOf(asset, maxListed).optional(),
    allowed_counterparties: setOf(counterparty, maxListed).optional(),
  })
  .superRefine((value, context) => {
    const given = loose(value);
    for (const field of amountFields) {
      checkExponent(context, { path: [field], value: given[field] }, given.currency);
    }
  }, always)
  .meta({
    id: 'CreateMandate',
    ...sent({
      agent_id: 'agt_01k5a3v7q8e9f0g1h2j3k4m5n6',
      valid_until: '2027-11-21T09:30:00Z',
      max_amount_per_transaction: '100.00',
      max_daily_amount: '200.00',
      currency: 'USD',
    }),
  });
export type CreateMandateBody = z.output<typeof createMandate>;

export const listMandatesQuery = z.object({
  status: status.optional(),
});

const list = z.array(z.string());
const answeredCryptoTerms = z
  .object({ chains: list, assets: list, max_transfer: moneyText().nullable() })
  .meta({ id: 'CryptoTerms' });
const answeredTerms = {
  allowed_mccs: list.meta({ examples: [['5411']] }),
  blocked_mccs: list.meta({ examples: [[]] }),
  allowed_countries: list.meta({ examples: [['USA']] }),
  blocked_countries: list.meta({ examples: [[]] }),
  allowed_merchants: list.meta({ examples: [[]] }),
  blocked_merchants: list.meta({ examples: [[]] }),
  max_daily_count: z
    .int()
    .nullable()
    .meta({ examples: [null] }),
  max_monthly_count: z
    .int()
    .nullable()
    .meta({ examples: [null] }),
  allowed_chains: list.meta({ examples: [[]] }),
  allowed_assets: list.meta({ examples: [[]] }),
  allowed_counterparties: list.meta({ examples: [[]] }),
  crypto: answeredCryptoTerms.nullable().meta({ examples: [null] }),
  valid_from: answeredTime(),
  valid_until: answeredTime(),
  created_at: answeredTime(),
  mandate_hash: z.string().meta({
    examples: ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
};
const answeredCurrency = z.string().meta({ examples: ['USD'] });

export const onboardingMandate = z
  .object({
    id: answeredId('mandate'),
    agent_id: answeredId('agent'),
    program_id: answeredId('program').nullable(),
    status,
    rails: z.array(rail),
    limits: z.object({
      max_amount_per_transaction: moneyNumber(100),
      max_daily_amount: moneyNumber(200).nullable(),
      max_monthly_amount: moneyNumber()
        .nullable()
        .meta({ examples: [null] }),
      currency: answeredCurrency,
    }),
    currency: answeredCurrency,
    ...answeredTerms,
  })
  .meta({ id: 'OnboardingMandate' });

function runtimeShape<T extends z.ZodType>(money: T) {
  return z.object({
    id: answeredId('mandate'),
    agent_id: answeredId('agent'),
    principal_id: answeredId('principal'),
    status,
    max_amount_per_transaction: money,
    max_daily_amount: money.nullable(),
    max_monthly_amount: money.nullable(),
    currency: answeredCurrency,
    ...answeredTerms,
  });
}

export const mandate = runtimeShape(moneyText('100.00')).meta({ id: 'Mandate' });

export const mandateList = z
  .object({
    mandates: z.array(runtimeShape(moneyNumber(100)).meta({ id: 'MandateListItem' })),
    total: z.int().meta({ examples: [1] }),
  })
  .meta({ id: 'MandateList' });

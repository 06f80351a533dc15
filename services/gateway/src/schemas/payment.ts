import { assetCurrency, maxAssetDecimals } from '@countersign/kernel/currency';
import { Decimal } from '@countersign/kernel/money';
import { z } from 'zod';
import { agentDid, capability } from './agent.js';
import { amount, checkExponent } from './amount.js';
import { freeObject } from './free-object.js';
import { idOf } from './id.js';
import { asset, chain, counterparty } from './mandate.js';
import { plainNumber } from './number.js';
import { country, currency, mcc } from './place.js';
import { always, loose, report } from './rule.js';
import { sent } from './sent.js';
import { comparedText, form, text } from './text.js';
import { viChain } from './vi-chain.js';

const maxUint32 = 4_294_967_295;
const small = z.int().min(0).max(maxUint32);

export const paymentRail = z.enum(['CARD', 'CRYPTO']).meta({ id: 'PaymentRail' });
export const transferOperation = z.enum(['transfer', 'approve']).meta({ id: 'TransferOperation' });

const intentContext = z
  .strictObject({
    task_reference: text(255).meta({ examples: ['task-2026-11-21-0042'] }),
    intent_type: text(64)
      .optional()
      .meta({ examples: ['PURCHASE'] }),
    reasoning_summary: text(4000)
      .optional()
      .meta({ examples: ['Cheapest of three offers.'] }),
    confidence: plainNumber(z.number().min(0).max(1))
      .optional()
      .meta({ examples: [0.92] }),
    alternatives_considered: small.optional().meta({ examples: [3] }),
    interaction_depth: small.optional().meta({ examples: [2] }),
    session_id: text(128)
      .optional()
      .meta({ examples: ['session-7'] }),
    recurrence_number: small.optional(),
    original_authorization_id: idOf('authorization').optional(),
  })
  .meta({ id: 'IntentContext', description: "Why the agent spends, in the agent's own words." });

const transfer = z
  .strictObject({
    chain,
    asset,
    counterparty: counterparty.meta({ description: 'Who receives the asset.' }),
    from_address: counterparty.optional().meta({
      description: "Who sends it. Name it always: without it, anybody's transfer matches.",
    }),
    value: amount(maxAssetDecimals).meta({ description: 'In units of the asset.' }),
    operation: transferOperation.default('transfer'),
  })
  .meta({ id: 'CryptoTransfer' });

const reference = comparedText(128).optional();

export const idempotencyKey = form(
  /^[A-Za-z0-9_\-:.]{8,128}$/,
  'must be 8 to 128 characters: letters, digits and . : _ -',
);

export const authorize = z
  .strictObject({
    agent_id: idOf('agent').optional().meta({ description: 'This or `agent_did`.' }),
    agent_did: agentDid.optional(),
    amount: amount(),
    currency: currency.default('USD'),
    intent_context: intentContext,
    mcc: mcc.optional().meta({ description: 'Needed where the mandate restricts MCCs.' }),
    merchant_name: text(255)
      .optional()
      .meta({ examples: ['Corner shop'] }),
    merchant_id: comparedText(255)
      .optional()
      .meta({ description: 'Needed where the mandate names merchants.', ...sent('m-1001') }),
    country: country.optional(),
    capability: capability.optional().meta({ description: 'A capability the agent must hold.' }),
    rail: paymentRail.default('CARD'),
    crypto: transfer.optional().meta({ description: 'With rail CRYPTO, and only with it.' }),
    vi_chain: viChain.optional(),
    idempotency_key: idempotencyKey.optional().meta({
      description: 'A retry with the same key answers the first decision again.',
      examples: ['order-2026-0042'],
    }),
    client_reference: reference.meta(sent('order-0042')),
    transaction_id: idOf('transaction').optional().meta({
      description: 'An existing transaction, to thread a retry.',
    }),
    network_rrn: reference,
    network_stan: reference,
    auth_code: reference,
    network_reference: reference,
    tx_hash: reference,
    chain_id: z
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .optional()
      .meta({ examples: [8453] }),
    runtime_evidence: freeObject('Kept on record; does not change the decision.').optional(),
    metadata: freeObject('Kept on record.').optional(),
  })
  .superRefine(checkPayment, always)
  .meta({
    id: 'AuthorizeRequest',
    ...sent({
      agent_id: 'agt_01k5a3v7q8e9f0g1h2j3k4m5n6',
      amount: '10.00',
      currency: 'USD',
      intent_context: { task_reference: 'task-2026-11-21-0042', intent_type: 'PURCHASE' },
      merchant_name: 'Corner shop',
      mcc: '5411',
      country: 'USA',
      idempotency_key: 'order-2026-0042',
    }),
  });
export type AuthorizeBody = z.output<typeof authorize>;

function checkPayment(value: unknown, context: z.RefinementCtx): void {
  const given = loose(value);
  if (given.agent_id === undefined && given.agent_did === undefined) {
    const message = 'is required unless agent_did is given';
    report(context, { path: ['agent_id'], type: 'required', message });
  }
  checkExponent(context, { path: ['amount'], value: given.amount }, given.currency);
  const wanted = given.rail === 'CRYPTO';
  if (wanted && given.crypto === undefined) {
    const message = 'is required when rail is CRYPTO';
    report(context, { path: ['crypto'], type: 'crypto_required', message });
  }
  if (!wanted && given.crypto !== undefined) {
    const message = 'is only allowed when rail is CRYPTO';
    report(context, { path: ['crypto'], type: 'crypto_not_allowed', message });
  }
  if (wanted) checkDollarCoin(given, context);
}

const dollarCoinDecimals = 6;

/** USDC is worth its number of dollars: what moves on chain may not be more than was asked for. */
function checkDollarCoin(given: Record<string, unknown>, context: z.RefinementCtx): void {
  const { asset: symbol, value } = loose(given.crypto);
  if (typeof symbol !== 'string' || assetCurrency(symbol) !== 'USD') return;
  if (given.currency !== 'USD') {
    const message = 'must be USD when the asset is USDC';
    report(context, { path: ['currency'], type: 'currency_mismatch', message });
  }
  if (typeof value !== 'string' || !isDecimal(value)) return;
  if (new Decimal(value).decimalPlaces() > dollarCoinDecimals) {
    const message = `must have at most ${dollarCoinDecimals} decimals for USDC`;
    report(context, { path: ['crypto', 'value'], type: 'too_many_decimals', message });
  }
  if (typeof given.amount !== 'string' || !isDecimal(given.amount)) return;
  if (new Decimal(value).lte(given.amount)) return;
  const message = 'must not be more than amount when the asset is USDC';
  report(context, { path: ['crypto', 'value'], type: 'value_exceeds_amount', message });
}

function isDecimal(value: string): boolean {
  return /^\d+(\.\d+)?$/.test(value);
}

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { answer, answered } from '../answer.js';
import { ask, maxAttempts } from '../ask.js';
import type { Context } from '../context.js';
import { inWords, isSpent, tell } from '../words.js';
import { amount, optional, told } from './shapes.js';

const description =
  'Requests approval for a payment, and reserves the amount if it is approved. Call it ' +
  'before every payment, and pay only if may_pay is true.\n\n' +
  'APPROVE: pay exactly this, once. STEP_UP: a human has to confirm first; do not pay ' +
  'yet, tell the user, and check with payment_status. DECLINE: do not pay; the answer ' +
  'says why and what would be approved.\n\n' +
  'Calling it again with the same task_reference, amount and currency never pays twice: an ' +
  'approval is returned again, a declined payment is requested anew. If a second payment of the ' +
  'same amount for the same task is intended, to this merchant or to another, increase ' +
  'payment_number.';

const input = z.strictObject({
  task_reference: z
    .string()
    .min(1)
    .max(255)
    .describe(
      'The order, cart, invoice or task that is paid for, always in the same words: "order-1". ' +
        'For a recurring payment include the period: "rent 2026-11".',
    ),
  merchant_name: z.string().min(1).max(255).describe('The payee.'),
  amount: amount.describe('In units of the currency, as text: "19.90".'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a currency code, such as USD')
    .describe('ISO 4217: "USD".'),
  reason: optional(z.string().max(4000)).describe(
    'Why this payment is made, for humans who confirm or review it.',
  ),
  merchant_id: optional(z.string().min(1).max(255)).describe(
    'Required if limits list merchants by id.',
  ),
  mcc: optional(z.string().regex(/^\d{4}$/, 'must be 4 digits')).describe(
    'Merchant category code, required if limits list categories.',
  ),
  country: optional(
    z.string().regex(/^[A-Z]{3}$/, 'must be a 3-letter country code, such as USA'),
  ).describe('Country of the merchant, ISO 3166-1 alpha-3, required if limits list countries.'),
  crypto: optional(
    z.strictObject({
      chain: z.string().max(64).describe('"base"'),
      asset: z.string().max(32).describe('"USDC"'),
      counterparty: z.string().max(128).describe('The address of the payee.'),
      value: amount.describe('In units of the asset, as text.'),
    }),
  ).describe('Only for an on-chain transfer.'),
  payment_number: z
    .int()
    .min(1)
    .max(1000)
    .nullable()
    .default(1)
    .transform((value) => value ?? 1)
    .describe('1, unless the same payment is intentionally made again.'),
});

export function addRequestPayment(server: McpServer, context: Context): void {
  const annotations = {
    title: 'Request a payment',
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };
  const config = { title: annotations.title, description, inputSchema: input, outputSchema: told };
  server.registerTool('request_payment', { ...config, annotations }, (wanted, { signal }) =>
    answered(async () => {
      const standing = await ask(context, wanted, signal);
      const data = await tell(context, standing);
      if (isSpent(standing)) {
        data.next_step =
          `It was requested ${maxAttempts} times and will not be requested again. ` +
          `${data.next_step} If the limits were changed since, a new payment_number starts over.`;
      }
      return answer(inWords(data), data);
    }),
  );
}

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { answer, answered } from '../answer.js';
import { ask, mostAsks } from '../ask.js';
import type { Context } from '../context.js';
import { inWords, isSpent, tell } from '../words.js';
import { amount, told } from './shapes.js';

const description =
  'Asks whether you may make a payment, and reserves the amount if you may. Call it ' +
  'before every payment, and pay only if may_pay is true.\n\n' +
  'APPROVE: pay exactly this, once. STEP_UP: a human has to confirm first; do not pay ' +
  'yet, tell the user, and look with payment_status. DECLINE: do not pay; the answer ' +
  'says why and what would pass.\n\n' +
  'Calling it again with the same task_reference, amount and currency never pays twice: an ' +
  'approval is given again, a refused payment is asked for anew. If a second payment of the ' +
  'same amount for the same task is really meant, to this merchant or to another, count ' +
  'payment_number up.';

const input = z.strictObject({
  task_reference: z
    .string()
    .min(1)
    .max(255)
    .describe(
      'The order, cart, invoice or wish that is paid for, in the same words: "order-1001". ' +
        'Where a payment recurs, with its period: "rent 2026-11".',
    ),
  merchant_name: z.string().min(1).max(255).describe('Who is paid.'),
  amount: amount.describe('In units of the currency, as text: "19.90".'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a currency code, such as USD')
    .describe('ISO 4217: "USD".'),
  reason: z
    .string()
    .max(4000)
    .optional()
    .describe('Why this payment, for whoever has to confirm it or looks at it later.'),
  merchant_id: z.string().min(1).max(255).optional().describe('Where limits name merchants by id.'),
  mcc: z
    .string()
    .regex(/^\d{4}$/, 'must be 4 digits')
    .optional()
    .describe('Merchant category code, where limits name categories.'),
  country: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a country of 3 letters, such as USA')
    .optional()
    .describe('Of the merchant, ISO 3166-1 alpha-3, where limits name countries.'),
  crypto: z
    .strictObject({
      chain: z.string().max(64).describe('"base"'),
      asset: z.string().max(32).describe('"USDC"'),
      counterparty: z.string().max(128).describe('The address that is paid.'),
      value: amount.describe('In units of the asset, as text.'),
    })
    .optional()
    .describe('Only for a transfer on a chain.'),
  payment_number: z
    .int()
    .min(1)
    .max(1000)
    .default(1)
    .describe('1, unless the same payment is really meant to be made again.'),
});

export function addRequestPayment(server: McpServer, context: Context): void {
  const annotations = {
    title: 'Ask for a payment',
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
          `It was asked for ${mostAsks} times and is not asked for again. ${data.next_step} ` +
          'A payment_number that was not used yet begins anew.';
      }
      return answer(inWords(data), data);
    }),
  );
}

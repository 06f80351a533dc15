import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { spelledLike } from '../amount.js';
import { answer, answered } from '../answer.js';
import type { Context } from '../context.js';
import { ownRecord } from './payment-status.js';
import { authorizationId, optional } from './shapes.js';

const description =
  'Reverses an approved payment completely: its amount no longer counts against the ' +
  'limits. Only for a payment that was not made, or that the merchant has refunded. It ' +
  'does not refund money. Calling it twice reverses the payment once.';

const output = {
  reversed: z.boolean(),
  already_reversed: z.boolean(),
  released_amount: z.string(),
  authorization_id: z.string(),
};

export function addReversePayment(server: McpServer, context: Context): void {
  const annotations = {
    title: 'Reverse an approved payment',
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  };
  const inputSchema = z.strictObject({
    authorization_id: authorizationId,
    reason: optional(z.string().min(1).max(255)),
  });
  const config = { title: annotations.title, description, inputSchema, outputSchema: output };
  server.registerTool('reverse_payment', { ...config, annotations }, (asked, { signal }) =>
    answered(async () => {
      const entry = await ownRecord(context, asked.authorization_id, signal);
      const reversal = await context.countersign.reverse(asked, { signal });
      const { message, reversed, already_reversed } = reversal;
      // The API returns a number, without the decimals of its currency.
      const released_amount = spelledLike(reversal.released_amount, entry.amount);
      const data = { reversed, already_reversed, released_amount, authorization_id: entry.id };
      return answer(`${message} Released: ${released_amount} ${entry.currency}.`, data);
    }),
  );
}

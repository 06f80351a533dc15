import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Context } from './context.js';
import { addPaymentStatus } from './tools/payment-status.js';
import { addRequestPayment } from './tools/request-payment.js';
import { addReversePayment } from './tools/reverse-payment.js';
import { addSpendingLimits } from './tools/spending-limits.js';
import { version } from './version.js';

const instructions =
  'Countersign decides what you may spend on behalf of your user. Before every payment ' +
  'call request_payment, and pay only if its answer has may_pay: true. A decline is not an ' +
  'error: it says why, and what would be approved. Never pay for something else or pay somebody ' +
  'else to circumvent it, never split a payment to stay below a limit, and never state an ' +
  'amount, a merchant, a category or a country other than the real one.';

/** The tools for one agent. Confirming a payment is up to a human, so there is no tool for it. */
export function createServer(context: Context): McpServer {
  const info = { name: 'countersign', title: 'Countersign', version };
  const server = new McpServer(info, { instructions });
  addRequestPayment(server, context);
  addSpendingLimits(server, context);
  addPaymentStatus(server, context);
  if (context.reversals) addReversePayment(server, context);
  return server;
}

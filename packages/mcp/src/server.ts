import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Context } from './context.js';
import { addPaymentStatus } from './tools/payment-status.js';
import { addRequestPayment } from './tools/request-payment.js';
import { addReversePayment } from './tools/reverse-payment.js';
import { addSpendingLimits } from './tools/spending-limits.js';
import { version } from './version.js';

const instructions =
  'Countersign decides what you may spend on behalf of your user. Before every payment ' +
  'call request_payment, and pay only if its answer has may_pay: true. A refusal is no ' +
  'error: it says why, and what would pass. Never pay something else or somebody else ' +
  'instead to get round it, and never split a payment to stay below a limit.';

/** The tools, for one agent. A payment is confirmed by a human and not by a tool: there is none. */
export function createServer(context: Context): McpServer {
  const info = { name: 'countersign', title: 'Countersign', version };
  const server = new McpServer(info, { instructions });
  addRequestPayment(server, context);
  addSpendingLimits(server, context);
  addPaymentStatus(server, context);
  if (context.reversals) addReversePayment(server, context);
  return server;
}

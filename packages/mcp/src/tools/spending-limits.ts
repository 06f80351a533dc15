import type { Budget, Mandate } from '@countersign/sdk';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { answer, answered } from '../answer.js';
import type { Context } from '../context.js';

const description =
  'Returns what you may spend now: per payment, what is left today and this month, at ' +
  'which merchants, in which countries, until when. It does not approve a payment, and while ' +
  'trust in you is low, one payment may be limited to less: call request_payment for that.';

const left = z.object({
  limit: z.string().nullable(),
  left: z.string().nullable(),
  payments_left: z.number().nullable(),
});

const limits = z.object({
  mandate_id: z.string(),
  currency: z.string(),
  per_payment: z.string(),
  per_transfer: z.string().nullable().describe('In units of the asset.'),
  today: left,
  this_month: left,
  valid_from: z.string(),
  valid_until: z.string(),
  only: z.record(z.string(), z.array(z.string())).describe('Only these, if given.'),
  never: z.record(z.string(), z.array(z.string())).describe('None of these.'),
});
type Limits = z.output<typeof limits>;

const output = {
  agent_status: z.string(),
  mandates: z
    .array(limits)
    .describe('Newest first: a payment is evaluated under the newest that is valid and covers it.'),
};

/** An agent usually has one mandate or a few; of more than these only the newest are shown. */
const maxMandates = 10;

export function addSpendingLimits(server: McpServer, context: Context): void {
  const annotations = { title: 'Spending limits', readOnlyHint: true, openWorldHint: false };
  const inputSchema = z.strictObject({});
  const config = { title: annotations.title, description, inputSchema, outputSchema: output };
  server.registerTool('spending_limits', { ...config, annotations }, (_, { signal }) =>
    answered(async () => {
      const { countersign, agentId } = context;
      const [agent, active] = await Promise.all([
        countersign.agents.get(agentId, { signal }),
        countersign.mandates.list(agentId, { status: 'ACTIVE', signal }),
      ]);
      const mandates = await Promise.all(
        active.slice(0, maxMandates).map(async ({ id }) => {
          const [mandate, budget] = await Promise.all([
            // Lists contain amounts without the decimals of their currency and with the precision
            // of a number.
            countersign.mandates.get(id, { signal }),
            countersign.mandates.budget(id, { signal }),
          ]);
          return limitsOf(mandate, budget);
        }),
      );
      const data = { agent_status: agent.status, mandates };
      return answer(inWords(data), data);
    }),
  );
}

const listed = ['merchants', 'mccs', 'countries', 'chains', 'assets', 'counterparties'] as const;

function limitsOf(mandate: Mandate, { day, month }: Budget): Limits {
  const lists = mandate as unknown as Record<string, string[] | undefined>;
  return {
    mandate_id: mandate.id,
    currency: mandate.currency,
    per_payment: mandate.max_amount_per_transaction,
    per_transfer: mandate.crypto?.max_transfer ?? null,
    today: windowOf(day),
    this_month: windowOf(month),
    valid_from: mandate.valid_from,
    valid_until: mandate.valid_until,
    only: named(lists, 'allowed_'),
    never: named(lists, 'blocked_'),
  };
}

function windowOf({ amount_limit, amount_remaining, count_remaining }: Budget['day']) {
  return { limit: amount_limit, left: amount_remaining, payments_left: count_remaining };
}

function named(lists: Record<string, string[] | undefined>, prefix: string) {
  const given = listed.map((name) => [name, lists[prefix + name] ?? []] as const);
  return Object.fromEntries(given.filter(([, list]) => list.length > 0));
}

function inWords({ agent_status: status, mandates }: { agent_status: string; mandates: Limits[] }) {
  if (status !== 'ACTIVE') return `The agent is ${status}: it may not spend anything.`;
  if (mandates.length === 0) return 'The agent has no mandate: it may not spend anything.';
  const newest =
    'A payment is evaluated only under the newest mandate that is valid and covers it:';
  const each = mandates.map(sentence);
  return each.length === 1
    ? each.join('')
    : [newest, ...each.map((text) => `- ${text}`)].join('\n');
}

function sentence(mandate: Limits): string {
  const { currency, today, this_month: month, only, never, valid_until: until } = mandate;
  const isLater = Date.parse(mandate.valid_from) > Date.now();
  return [
    `${isLater ? `Nothing before ${mandate.valid_from}; from then on at most` : 'At most'}`,
    `${mandate.per_payment} ${currency} per payment;`,
    `${spare(today, currency)} today, ${spare(month, currency)} this month.`,
    ...(mandate.per_transfer === null
      ? []
      : [`At most ${mandate.per_transfer} of the asset per on-chain transfer.`]),
    ...Object.entries(only).map(([name, list]) => `Only these ${name}: ${list.join(', ')}.`),
    ...Object.entries(never).map(([name, list]) => `None of these ${name}: ${list.join(', ')}.`),
    `Until ${until}.`,
  ].join(' ');
}

function spare(
  { limit, left: spareAmount, payments_left: payments }: Limits['today'],
  unit: string,
) {
  const money = limit === null ? 'no limit' : `${spareAmount} of ${limit} ${unit} left`;
  return payments === null ? money : `${money} and ${payments} payments left`;
}

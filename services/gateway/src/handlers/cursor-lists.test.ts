import { randomBytes } from 'node:crypto';
import type { Fault } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import { test } from 'tap';
import type { Context } from '../context.js';
import type { RouteRequest } from '../request.js';
import { routes } from '../routes.js';
import { pageQuerySchema } from '../schemas/list.js';
import { logQuery } from '../schemas/log-query.js';
import * as samples from '../test/samples.js';

const program = {
  id: newId('program'),
  fraudTriageEnabled: true,
  rails: [],
  createdAt: samples.at,
};
const everyAnswer = {
  programIds: [program.id],
  fraudTriageEnabled: true,
  hasMore: true,
  cases: [samples.fraudCaseRecord()],
  deliveries: [samples.deliveryRecord()],
  entries: [samples.entryRecord()],
  outcomes: [samples.outcomeRecord()],
  patterns: [samples.fraudPatternRecord()],
  programs: [program],
  webhooks: [samples.webhookRecord()],
};
const call = new Proxy({}, { get: () => async () => everyAnswer });
const clients = new Proxy({}, { get: () => ({ call }) });
const context = { clients, clock: () => 0, cursorKey: randomBytes(32) } as unknown as Context;

const lists = routes.filter(({ query }) => query === pageQuerySchema || query === logQuery);

interface Asking {
  clientId: string;
  principalId: string;
  environment: 'live' | 'sandbox';
  params: Record<string, string>;
}

const asking: Asking = {
  clientId: newId('client'),
  principalId: newId('principal'),
  environment: 'sandbox',
  params: { agent_id: 'agt_1', authorization_id: 'auth_1', webhook_id: 'wh_1' },
};

/** The next cursor, or the reason why the given one is refused. */
async function page(row: (typeof lists)[number], asked: Asking, cursor?: string): Promise<string> {
  const { clientId, principalId, environment, params } = asked;
  const request = {
    ...{ environment, params, callOptions: () => ({}) },
    caller: { clientId },
    tenant: { clientId, principalId },
    query: { limit: 1, cursor },
  } as unknown as RouteRequest<Record<string, string>>;
  try {
    const { body } = await row.handler(context, request);
    return (body as { pagination: { next_cursor: string } }).pagination.next_cursor;
  } catch (error) {
    return (error as Fault).errors?.[0]?.type ?? String(error);
  }
}

test('a cursor is for whom it was made, what its list is of, and no other list', async (t) => {
  for (const row of lists) {
    const cursor = await page(row, asking);
    t.equal(await page(row, asking, cursor), cursor, row.operation);
    const own = Object.keys(asking.params).filter((name) => row.path.includes(`:${name}`));
    const others: Asking[] = [
      { ...asking, environment: 'live' },
      { ...asking, clientId: newId('client'), principalId: newId('principal') },
      ...(row.plane === 'onboarding' ? [] : [{ ...asking, principalId: newId('principal') }]),
      ...own.map((name) => ({ ...asking, params: { ...asking.params, [name]: 'other' } })),
    ];
    for (const other of others) {
      t.equal(await page(row, other, cursor), 'invalid_cursor', row.operation);
    }
    for (const elsewhere of lists.filter((each) => each !== row)) {
      const what = `${row.operation} in ${elsewhere.operation}`;
      t.equal(await page(elsewhere, asking, cursor), 'invalid_cursor', what);
    }
  }
  t.equal(lists.length, 9);
});

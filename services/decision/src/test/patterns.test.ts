/** Suspected takeovers through the gRPC interface: those of a Principal, and all of them. */

import { newId } from '@countersign/kernel/id';
import type { FraudPattern } from '@countersign/proto/decision';
import root, { test } from 'tap';
import { patternPage } from '../triage/pattern-reads.js';
import { callOptions, startDecision } from './decision-service.js';

const { client, context, stop } = await startDecision();
root.teardown(stop);
const { pool, prisma } = context.stores.live;

/** One per given minute, none before the year of the test. */
async function suspect(principalId: string, minutes: readonly number[]): Promise<string[]> {
  const ids = minutes.map(() => newId('fraudPattern'));
  await pool.query(
    `INSERT INTO fraud_pattern (id, agent_id, principal_id, confidence, indicators,
       authorization_ids, recommended_action, created_at)
     SELECT id, 'agt_1', $2, 0.766, '{AGENT_KEY_FAILURES,STEP_UPS_DENIED}', '{auth_1,auth_2}',
       'REVIEW_AGENT', timestamptz '2026-01-01T00:00:00Z' + minute * interval '1 minute'
     FROM unnest($1::text[], $3::int[]) AS given (id, minute)`,
    [ids, principalId, minutes],
  );
  return ids;
}

interface Listed {
  patterns: FraudPattern[];
  hasMore: boolean;
}
type List = (page: { limit: number; after?: FraudPattern }) => Promise<Listed>;

async function inPages(list: List, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let after: FraudPattern | undefined;
  for (;;) {
    const { patterns, hasMore } = await list({ limit, ...(after && { after }) });
    pages.push(patterns.map(({ id }) => id));
    after = patterns.at(-1);
    if (!hasMore || pages.length > 10) return pages;
  }
}

test('a Principal lists its own, newest first, page by page, each once', async (t) => {
  const principalId = newId('principal');
  const tenant = { clientId: 'cli_1', principalId };
  const [third, second, first] = await suspect(principalId, [1, 2, 3]);
  await suspect(newId('principal'), [4]);
  const list: List = (page) => client.call.ListFraudPatterns({ tenant, page }, callOptions);
  t.same(await inPages(list, 2), [[first, second], [third]]);
  const { patterns } = await list({ limit: 1 });
  t.strictSame(patterns, [
    {
      id: first,
      agentId: 'agt_1',
      principalId,
      confidence: 0.766,
      indicators: ['AGENT_KEY_FAILURES', 'STEP_UPS_DENIED'],
      authorizationIds: ['auth_1', 'auth_2'],
      recommendedAction: 'REVIEW_AGENT',
      createdAt: '2026-01-01T00:03:00.000Z',
    },
  ]);
  await t.rejects(client.call.ListFraudPatterns({ page: { limit: 1 } }, callOptions));
});

test('the operator lists those of every Principal', async (t) => {
  const [older, newest] = await suspect(newId('principal'), [50_000, 50_002]);
  const [between] = await suspect(newId('principal'), [50_001]);
  const list: List = (page) => client.call.ListAllFraudPatterns({ page }, callOptions);
  const pages = await inPages(list, 2);
  t.same(pages.flat().slice(0, 3), [newest, between, older]);
});

test('a later page reads no more rows than the first', async (t) => {
  const principalId = newId('principal');
  await pool.query(
    `INSERT INTO fraud_pattern (id, agent_id, principal_id, confidence, recommended_action,
       created_at)
     SELECT $1 || nth, 'agt_1', $1, 1, '', timestamptz '2026-01-01T00:00:00Z' +
       (nth / 4) * interval '1 second'
     FROM generate_series(10000, 29999) AS nth`,
    [principalId],
  );
  await pool.query('ANALYZE fraud_pattern');
  const after = { createdAt: new Date('2026-01-01T00:45:00.000Z'), id: `${principalId}10803` };
  for (const of of [{ principalId }, {}]) {
    const page = { after, limit: 4, take: 5 };
    const { read, fetched } = await prisma.$transaction(async (transaction) => {
      const read = await patternPage(transaction, { of, page });
      const [row] = await transaction.$queryRaw<Array<{ fetched: number }>>`
        SELECT (idx_tup_fetch + seq_tup_read)::int AS fetched FROM pg_stat_xact_user_tables
        WHERE relname = 'fraud_pattern'`;
      return { read, fetched: row?.fetched };
    });
    t.same(
      read.patterns.map(({ id }) => id),
      [10802, 10801, 10800, 10799].map((nth) => `${principalId}${nth}`),
    );
    t.ok(read.hasMore);
    t.ok(fetched !== undefined && fetched < 50, `${fetched} rows`);
  }
});

/** Fraud cases through the gRPC interface, and what a resolution causes. */

import type { BusEvent } from '@countersign/kernel/event';
import { Fault } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import type { FraudCase } from '@countersign/proto/decision';
import { sweep } from '@countersign/runtime/retention';
import { until } from '@countersign/runtime/testing';
import { publishOne } from '@countersign/runtime/testing/publish-one';
import root, { type Test, test } from 'tap';
import { resolveCase } from '../handlers/resolve-case.js';
import { readCases } from '../triage/case-reads.js';
import { outcomeReporter } from '../triage/report.js';
import { triageSweeps } from '../triage/sweep.js';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { spendingFacts } from './fake-identity.js';
import { type EventSubject, outcome, recorded, triaged } from './profile-events.js';
import { replay } from './replay.js';

const { client, context, identity, ledger, stop } = await startDecision();
root.teardown(stop);
const { pool } = context.stores.live;

interface Owner {
  clientId: string;
  principalId: string;
}
const newOwner = (): Owner => ({ clientId: 'cli_1', principalId: newId('principal') });

async function publish(event: BusEvent): Promise<void> {
  await publishOne(context.bus, event);
}

function suspected(subject: EventSubject): BusEvent<'authorization.recorded'> {
  const { triage } = triaged({});
  return recorded(subject, { decision: 'DECLINE', reasonCodes: ['FRAUD_SUSPECTED'], triage });
}

async function list(tenant: Owner, page: { limit?: number; after?: object } = {}) {
  return client.call.ListCases({ tenant, page: { limit: 25, ...page } }, callOptions);
}

/** Opens one case per minute, through the bus. */
async function openCases(owner: Owner, minutes: number[] = [0]): Promise<FraudCase[]> {
  const agentId = newId('agent');
  for (const minute of minutes) {
    await publish(suspected({ agentId, principalId: owner.principalId, minute }));
  }
  const isThere = async (): Promise<boolean> => (await list(owner)).cases.length >= minutes.length;
  await until(isThere, { what: 'the cases' });
  return (await list(owner)).cases;
}

function resolve(tenant: Owner, id: string, resolution: string): Promise<FraudCase> {
  return client.call.ResolveCase({ tenant, id, resolution }, callOptions);
}

async function refused(t: Test, work: Promise<unknown>, fault: object): Promise<void> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  t.ok(error instanceof Fault);
  t.match(error, fault);
}

async function resolvedEvents(caseId: string): Promise<Array<BusEvent<'fraud.case_resolved'>>> {
  const { rows } = await pool.query<{ payload: string }>(
    `SELECT payload FROM outbox WHERE type = 'fraud.case_resolved'
       AND payload::jsonb -> 'data' ->> 'caseId' = $1`,
    [caseId],
  );
  return rows.map(({ payload }) => JSON.parse(payload));
}

test('cases are listed newest first, page by page, each once', async (t) => {
  const owner = newOwner();
  const all = await openCases(owner, [3, 1, 1, 2]);
  const times = all.map(({ createdAt }) => createdAt);
  t.same(times, [...times].sort().reverse());
  const seen: string[] = [];
  let after: { createdAt: string; id: string } | undefined;
  for (let page = 0; page < 2; page += 1) {
    const { cases, hasMore } = await list(owner, { limit: 2, ...(after && { after }) });
    t.equal(hasMore, page === 0);
    seen.push(...cases.map(({ id }) => id));
    after = cases.at(-1);
  }
  t.same(
    seen,
    all.map(({ id }) => id),
  );
});

test('a later page reads no more rows than the first', async (t) => {
  const { clientId, principalId } = newOwner();
  await pool.query(
    `INSERT INTO fraud_case (id, authorization_id, client_id, principal_id, agent_id, severity,
       signals, amount, currency, created_at)
     SELECT $2 || nth, $2 || nth, $1, $2, 'agt_1', 'LOW', '[]', '1.00', 'USD',
       timestamptz '2026-01-01T00:00:00Z' + (nth / 4) * interval '1 second'
     FROM generate_series(10000, 29999) AS nth`,
    [clientId, principalId],
  );
  await pool.query('ANALYZE fraud_case');
  const after = { createdAt: new Date('2026-01-01T00:45:00.000Z'), id: `${principalId}10803` };
  const page = { after, limit: 4, take: 5 };
  const { cases, fetched } = await context.stores.live.prisma.$transaction(async (prisma) => {
    const cases = await readCases(prisma, { clientId, principalId, page });
    const [read] = await prisma.$queryRaw<Array<{ fetched: number }>>`
      SELECT (idx_tup_fetch + seq_tup_read)::int AS fetched FROM pg_stat_xact_user_tables
      WHERE relname = 'fraud_case'`;
    return { cases, fetched: read?.fetched };
  });
  t.same(
    cases.map(({ id }) => id),
    [10802, 10801, 10800, 10799, 10798].map((nth) => `${principalId}${nth}`),
  );
  t.ok(fetched !== undefined && fetched < 50, `${fetched} rows`);
});

test('another Principal gets TENANT_MISMATCH for a case, another Client NOT_FOUND', async (t) => {
  const owner = newOwner();
  const [opened] = await openCases(owner);
  const id = opened?.id ?? '';
  const sibling = newOwner();
  const foreign = { ...owner, clientId: 'cli_2' };
  t.match(await client.call.GetCase({ tenant: owner, id }, callOptions), { id, status: 'OPEN' });
  const [mismatch, unknown] = [
    { kind: 'forbidden', code: 'TENANT_MISMATCH' },
    { kind: 'not_found', code: 'NOT_FOUND' },
  ];
  for (const [tenant, fault] of [
    [sibling, mismatch],
    [foreign, unknown],
  ] as const) {
    t.same((await list(tenant)).cases, []);
    await refused(t, client.call.GetCase({ tenant, id }, callOptions), fault);
    await refused(t, resolve(tenant, id, 'FALSE_POSITIVE'), fault);
  }
  const nothing = newId('fraudCase');
  await refused(t, client.call.GetCase({ tenant: owner, id: nothing }, callOptions), unknown);
  await refused(t, resolve(owner, nothing, 'INCONCLUSIVE'), unknown);
  t.equal((await client.call.GetCase({ tenant: owner, id }, callOptions)).status, 'OPEN');
  const elsewhere = { ...callOptions, environment: 'sandbox' } as const;
  await refused(t, client.call.GetCase({ tenant: owner, id }, elsewhere), unknown);
});

test('a resolution can be repeated, but not changed', async (t) => {
  const owner = newOwner();
  const [opened] = await openCases(owner);
  const id = opened?.id ?? '';
  const answers = await Promise.allSettled([
    ...Array.from({ length: 4 }, () => resolve(owner, id, 'CONFIRMED_FRAUD')),
    ...Array.from({ length: 4 }, () => resolve(owner, id, 'INCONCLUSIVE')),
  ]);
  const given = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  t.equal(given.length, 4, 'only one of the two resolutions');
  const [first] = given;
  t.match(first, { id, status: 'RESOLVED', resolvedBy: owner.principalId, resolvedAt: String });
  for (const each of given) t.same(each, first);
  t.same(await client.call.GetCase({ tenant: owner, id }, callOptions), first);
  const other = first?.resolution === 'INCONCLUSIVE' ? 'CONFIRMED_FRAUD' : 'INCONCLUSIVE';
  await refused(t, resolve(owner, id, other), {
    kind: 'invalid',
    code: 'VALIDATION_ERROR',
    errors: [{ field: 'resolution', type: 'already_resolved' }],
  });
  t.equal((await resolvedEvents(id)).length, 1, 'and published once');
});

test('a resolution wakes the relay, so that its event does not wait to be polled', async (t) => {
  const owner = newOwner();
  const [{ id = '' } = {}] = await openCases(owner);
  let woken = 0;
  const live = {
    wake: () => {
      woken += 1;
    },
    stop: async () => {},
  };
  const resolving = resolveCase({ ...context, relays: { ...context.relays, live } });
  const call = { ...callOptions, log: context.log, deadlineAt: Number.POSITIVE_INFINITY };
  const request = { tenant: owner, id, resolution: 'FALSE_POSITIVE' };
  await resolving(request, call);
  t.equal(woken, 1);
  await resolving(request, call);
  t.equal(woken, 1, 'a repeat publishes nothing');
});

test('a resolution becomes an outcome, even if the ledger is busy', async (t) => {
  const owner = newOwner();
  const outcomes = {
    CONFIRMED_FRAUD: 'CONFIRMED_FRAUD',
    FALSE_POSITIVE: 'FALSE_POSITIVE_REPORTED',
  };
  const opened = await openCases(owner, [1, 2, 3]);
  const [inconclusive, ...others] = opened;
  ledger.busy = 1;
  await resolve(owner, inconclusive?.id ?? '', 'INCONCLUSIVE');
  for (const [nth, [resolution, outcomeType]] of Object.entries(outcomes).entries()) {
    const { id = '', authorizationId = '', agentId = '' } = others[nth] ?? {};
    await resolve(owner, id, resolution);
    const reported = () =>
      ledger.outcomes.filter((each) => each.authorizationId === authorizationId);
    await until(() => reported().length > 0, { timeoutMs: 20_000, what: 'the outcome' });
    t.match(reported()[0], {
      ...owner,
      outcomeType,
      reportedBy: 'INTERNAL',
      notes: new RegExp(id),
    });
    const [announced] = await resolvedEvents(id);
    t.equal(reported()[0]?.outcomeId, announced?.data.outcome?.id, 'however often it is reported');
    // The ledger publishes that outcome, which must not resolve the case again.
    const event = outcome(
      { agentId, authorizationId, principalId: owner.principalId },
      outcomeType,
    );
    await publish({ ...event, data: { ...event.data, reportedBy: 'INTERNAL' } });
    const isHeard = async (): Promise<boolean> => {
      const inboxId = `${event.id}.triage`;
      const { rows } = await pool.query('SELECT FROM inbox WHERE event_id = $1', [inboxId]);
      return rows.length > 0;
    };
    await until(isHeard, { what: 'the outcome to be consumed' });
    t.match(await client.call.GetCase({ tenant: owner, id }, callOptions), {
      resolution,
      resolvedBy: owner.principalId,
    });
    t.equal((await resolvedEvents(id)).length, 1);
  }
  const silent = ledger.outcomes.filter(
    ({ authorizationId }) => authorizationId === inconclusive?.authorizationId,
  );
  t.same(silent, [], 'INCONCLUSIVE records no outcome');
  const [undecided] = await resolvedEvents(inconclusive?.id ?? '');
  t.equal(undecided?.data.outcome, null);
  const handled = outcomeReporter(context)(undecided as BusEvent, null);
  await t.resolves(handled, 'its event is done with, and not delivered again and again');
});

test('an event that triage cannot read does not block the others of its message', async (t) => {
  const owner = newOwner();
  const subject = { agentId: newId('agent'), principalId: owner.principalId };
  const broken = suspected(subject);
  const { reasonCodes: _, ...data } = broken.data;
  const events = [{ ...broken, data }, suspected(subject), recorded(subject)];
  await context.bus.publishTogether({
    id: newId('event'),
    topic: 'authorization.recorded',
    environment: 'live',
    payloads: events.map((event) => JSON.stringify(event)),
  });
  await until(async () => (await list(owner)).cases.length > 0, { what: 'the case' });
  const total = async (): Promise<number | undefined> => {
    const { profiles } = await client.call.GetAgentProfiles(
      { agentIds: [subject.agentId] },
      callOptions,
    );
    return profiles[0]?.totalTransactions;
  };
  await until(async () => (await total()) === 2, { what: 'the profile' });
  t.equal((await list(owner)).cases.length, 1);
});

test('a decision carries the triage marker only if its Program has triage', async (t) => {
  for (const fraudTriageEnabled of [false, true]) {
    const ids = newAgentIds();
    identity.answers = [spendingFacts(ids, { program: { fraudTriageEnabled } })];
    const request = authorizeRequest(ids, { amount: '666.01' });
    await client.call.Authorize(request, { ...callOptions, environment: 'sandbox' });
    const proposal = ledger.proposals.at(-1);
    t.equal(proposal?.authorizationId, request.authorizationId);
    const event = JSON.parse(proposal?.eventDataJson ?? '{}');
    const texts = proposal && ledger.textsOf(proposal);
    t.equal(texts?.basisJson?.includes('fraudTriage'), fraudTriageEnabled);
    t.equal(texts && replay(texts)?.decision, 'DECLINE', 'the verdict does not depend on it');
    if (!fraudTriageEnabled) t.notOk('triage' in event);
    else {
      t.match(event.triage, { riskScore: Number, velocityIndicator: false });
      t.match(event.triage, { highestSeverity: 'CRITICAL', riskCondition: String });
    }
  }
});

test('rows past their retention are deleted, and no others', async (t) => {
  const owner = newOwner();
  const [young, old] = await openCases(owner, [1, 2]);
  await pool.query("UPDATE fraud_case SET created_at = now() - '31 days'::interval WHERE id = $1", [
    old?.id,
  ]);
  await pool.query('UPDATE fraud_case SET created_at = now() WHERE id = $1', [young?.id]);
  for (const [agent, age] of [
    ['old', '3 days'],
    ['young', '1 day'],
  ]) {
    const values = [agent, age];
    await pool.query(
      `INSERT INTO agent_watch (agent_id, principal_id, state, updated_at)
       VALUES ($1, 'swept', '{}', now() - $2::interval)`,
      values,
    );
    await pool.query(
      `INSERT INTO fraud_verdict (authorization_id, principal_id, resolution, reported_by,
         reported_at, heard_at)
       VALUES ($1, 'swept', 'FALSE_POSITIVE', 'ISSUER', now(), now() - 5 * $2::interval)`,
      values,
    );
    await pool.query(
      `INSERT INTO fraud_pattern (id, agent_id, principal_id, confidence, recommended_action,
         created_at) VALUES ($1, 'swept', 'swept', 1, '', now() - 15 * $2::interval)`,
      values,
    );
  }
  await sweep(pool, triageSweeps(30));
  t.same(
    (await list(owner)).cases.map(({ id }) => id),
    [young?.id],
  );
  const { rows } = await pool.query(
    `SELECT agent_id AS left FROM agent_watch WHERE principal_id = 'swept'
     UNION ALL SELECT authorization_id FROM fraud_verdict WHERE principal_id = 'swept'
     UNION ALL SELECT id FROM fraud_pattern WHERE principal_id = 'swept'`,
  );
  t.same(
    rows.map(({ left }) => left),
    ['young', 'young', 'young'],
  );
});

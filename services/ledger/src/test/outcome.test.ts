import { randomBytes } from 'node:crypto';
import { newId } from '@countersign/kernel/id';
import { outcomeTypes } from '@countersign/kernel/outcome-type';
import {
  type LedgerDefinition,
  ledgerService,
  type OutcomeReportInput,
  type RecordedOutcome,
} from '@countersign/proto/ledger';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { createGrpcClient } from '@countersign/runtime/grpc-client';
import { t as file, test } from 'tap';
import { startServer } from '../server.js';
import { matchByReferenceSql } from '../sql.js';
import { callOf, count, createWorld, newSpender, proposalOf, type Spender } from './fixture.js';

const world = await createWorld(file);
const ledger = await world.start();
const other = await world.start();
const call = callOf(ledger);

async function approve(spender: Spender, given = {}): Promise<string> {
  const request = proposalOf(spender, { limits: null, ...given });
  await ledger.handlers.Commit(request, call);
  return request.authorizationId;
}

function report(given: OutcomeReportInput): OutcomeReportInput {
  return {
    outcomeId: newId('outcome'),
    outcomeType: 'SETTLED',
    reportedAt: '2027-01-02T03:04:05.000Z',
    reportedBy: 'ISSUER',
    ...given,
  };
}

async function recordAll(
  tenant: Spender,
  reports: OutcomeReportInput[],
  to = ledger,
): Promise<RecordedOutcome[]> {
  return (await to.handlers.RecordOutcomes({ tenant, reports }, call)).results;
}

/** Mixed case, as in checksummed addresses. */
function mixed(hash: string): string {
  const digits = [...hash.slice(2)];
  return `0x${digits.map((digit, index) => (index % 2 ? digit.toUpperCase() : digit)).join('')}`;
}

function outcomesOf(tenant: Spender, authorizationId: string, page: object = { limit: 25 }) {
  return ledger.handlers.ListOutcomes({ tenant, authorizationId, page }, call);
}

test('an amount without a currency has at most the decimals of the payment', async (t) => {
  const spender = newSpender();
  const statusOf = async (given: OutcomeReportInput, payment = {}) => {
    const authorizationId = await approve(spender, payment);
    const [result] = await recordAll(spender, [report({ authorizationId, ...given })]);
    return result;
  };
  const refused = await statusOf({ settledAmount: '1.234' });
  t.match(refused, { status: 'invalid', errorField: 'settled_amount' });
  t.match(refused, { errorType: 'too_many_decimals', error: /in USD, which has 2/ });
  const created = { status: 'created', paymentCurrency: 'USD' };
  t.has(await statusOf({ settledAmount: '1.230' }), {
    ...created,
    outcome: { settledAmount: '1.23' },
  });
  t.match(await statusOf({ settledAmount: '1.234', settledCurrency: 'KWD' }), created);
  t.match(
    await statusOf({ settledAmount: '1.234567' }, { rail: 'CRYPTO' }),
    { status: 'created', paymentCurrency: undefined },
    'of an asset',
  );
});

test('an outcome is recorded once per authorization and type', async (t) => {
  const spender = newSpender();
  const authorizationId = await approve(spender);
  const chargeback = { authorizationId, outcomeType: 'CHARGEBACK', evidenceJson: '{"a":1}' };
  const results = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      recordAll(spender, [report(chargeback)], index % 2 ? ledger : other),
    ),
  );
  const statuses = results.flat().map(({ status }) => status);
  t.equal(statuses.filter((status) => status === 'created').length, 1);
  t.equal(statuses.filter((status) => status === 'duplicate').length, 11);
  t.equal(new Set(results.flat().map(({ outcome }) => outcome?.id)).size, 1);
  const { outcomes } = await outcomesOf(spender, authorizationId);
  t.match(outcomes, [{ outcomeType: 'CHARGEBACK', evidenceJson: '{"a":1}', reportedBy: 'ISSUER' }]);
  const sent = report({ authorizationId, outcomeType: 'MERCHANT_COMPLAINT' });
  const [first] = await recordAll(spender, [sent]);
  t.same(await recordAll(spender, [sent]), [first], 'the transport may repeat a report');
});

test('of several settlement reports the latest event wins, in any order of arrival', async (t) => {
  const spender = newSpender();
  const authorizationId = await approve(spender);
  const settled = (settledAt: string | undefined, settledAmount: string) =>
    report({ authorizationId, settledAmount, ...(settledAt && { settledAt }) });
  const monday = '2027-01-04T00:00:00.000Z';
  const tuesday = '2027-01-05T00:00:00.000Z';
  const [undated] = await recordAll(spender, [settled(undefined, '1')]);
  const [later, earlier, same] = await recordAll(spender, [
    settled(tuesday, '2.50'),
    settled(monday, '3'),
    settled(tuesday, '4'),
  ]);
  t.match(undated, { status: 'created' });
  t.has(later, { status: 'updated', outcome: { settledAmount: '2.5', settledAt: tuesday } });
  t.match([earlier?.status, same?.status], ['duplicate', 'duplicate']);
  const { outcomes } = await outcomesOf(spender, authorizationId);
  t.equal(outcomes.length, 1);
  t.has(outcomes[0], {
    id: undated?.outcome?.id,
    createdAt: undated?.outcome?.createdAt,
    settledAmount: '2.5',
  });

  const days = Array.from({ length: 20 }, (_, day) => `2027-03-${10 + day}T00:00:00.000Z`);
  const cleared = days.map((settledAt) =>
    report({ authorizationId, outcomeType: 'CLEARED', settledAt }),
  );
  await Promise.all(
    cleared.map((one, index) => recordAll(spender, [one], index % 2 ? ledger : other)),
  );
  const { outcomes: all } = await outcomesOf(spender, authorizationId);
  t.match(all[0], { outcomeType: 'CLEARED', settledAt: days.at(-1) });
});

test('a later settled_at updates a settlement only', async (t) => {
  const spender = newSpender();
  const authorizationId = await approve(spender);
  for (const outcomeType of outcomeTypes) {
    const settled = (day: number) => ({
      ...{ authorizationId, outcomeType, settledAt: `2027-01-0${day}T00:00:00.000Z` },
    });
    await recordAll(spender, [report(settled(4))]);
    const [second] = await recordAll(spender, [report(settled(5))]);
    const isLater = ['SETTLED', 'CLEARED'].includes(outcomeType);
    const status = isLater ? 'updated' : 'duplicate';
    t.match(second, { status, outcome: settled(isLater ? 5 : 4) });
  }
});

test('an outcome, and its event, say what was reported last', async (t) => {
  const spender = newSpender();
  const authorizationId = await approve(spender);
  const reports = [1, 2].map((nth) => ({
    outcomeType: 'SETTLED',
    reportedAt: `2027-02-0${nth}T12:00:00.000Z`,
    reportedBy: nth === 1 ? 'ISSUER' : 'MERCHANT',
    ...{ evidenceJson: `{"nth":${nth}}`, notes: `note ${nth}` },
    ...{ settledAmount: `${nth}.5`, settledCurrency: nth === 1 ? 'EUR' : 'GBP' },
    externalReferenceId: `reference ${nth}`,
    settledAt: `2027-02-0${nth}T00:00:00.000Z`,
  }));
  for (const said of reports) {
    const [result] = await recordAll(spender, [report({ authorizationId, ...said })]);
    t.match(result?.outcome, said);
    const { outcomes } = await outcomesOf(spender, authorizationId);
    t.match(outcomes, [said]);
  }
  const { rows } = await ledger.context.stores.live.pool.query<{ payload: string }>(
    `SELECT payload FROM outbox WHERE payload LIKE $1 ORDER BY seq`,
    [`%"outcome.recorded"%${authorizationId}%`],
  );
  const { clientId } = spender;
  const events = ['ISSUER', 'MERCHANT'].map((reportedBy) => ({ clientId, data: { reportedBy } }));
  t.match(
    rows.map(({ payload }) => JSON.parse(payload)),
    events,
  );
});

test('each report of a batch has its own result', async (t) => {
  const spender = newSpender();
  const sibling = newSpender({ clientId: spender.clientId });
  const authorizationId = await approve(spender);
  const foreign = await approve(sibling);
  const results = await recordAll(spender, [
    report({ authorizationId }),
    report({ authorizationId: newId('authorization') }),
    report({ authorizationId: foreign }),
    report({ authorizationId, outcomeType: 'LOST' }),
    report({ authorizationId, reportedBy: 'NOBODY' }),
    report({ authorizationId, reportedAt: 'then' }),
    report({ authorizationId, reportedAt: '0000-06-01T00:00:00Z' }),
    report({ authorizationId, settledAt: '+010000-01-01T00:00:00Z' }),
    report({ authorizationId, settledAmount: '-1' }),
    report({}),
    report({ authorizationId, outcomeType: 'CHARGEBACK' }),
    report({ authorizationId, outcomeType: 'CHARGEBACK' }),
  ]);
  t.same(
    results.map(({ status, error }) => [status, error].filter(Boolean).join(': ')),
    [
      'created',
      'not_found: NOT_FOUND',
      'not_found: TENANT_MISMATCH',
      'invalid: outcome_type is unknown',
      'invalid: reported_by is unknown',
      'invalid: reported_at is not a time',
      'invalid: reported_at is not a time',
      'invalid: settled_at is not a time',
      'invalid: settled_amount is not an amount',
      'invalid: the report names no authorization',
      'created',
      'duplicate',
    ],
  );
  t.match(await recordAll(newSpender(), [report({ authorizationId })]), [{ error: 'NOT_FOUND' }]);
});

test('a report is matched by reference to the newest authorization with it', async (t) => {
  const spender = newSpender();
  const stranger = newSpender({ clientId: spender.clientId });
  const references = { networkRrn: 'rrn-1', txHash: '0xaa', clientReference: 'order 1' };
  await approve(spender, references);
  await approve(stranger, references);
  const newest = await approve(spender, references);
  for (const [index, reference] of [
    { networkRrn: 'rrn-1' },
    { txHash: '0xaa' },
    { clientReference: 'order 1' },
  ].entries()) {
    const [result] = await recordAll(spender, [report(reference)]);
    t.match(result, {
      status: index ? 'duplicate' : 'created',
      outcome: { authorizationId: newest },
    });
  }
  t.match(await recordAll(spender, [report({ networkRrn: 'rrn-2' })]), [{ status: 'not_found' }]);
});

test('an entry has the references of its payment, and from outcomes those it lacks', async (t) => {
  const spender = newSpender();
  const authorizationId = await approve(spender, { networkRrn: 'rrn-3', networkStan: 'stan-3' });
  const added = { authCode: 'A1', networkReference: 'N1', chainId: '8453' };
  await recordAll(spender, [
    report({ authorizationId, ...added, networkRrn: 'rrn-4' }),
    report({ authorizationId, outcomeType: 'CLEARED', authCode: 'A2', txHash: '0xcc' }),
  ]);
  const expected = { networkRrn: 'rrn-3', networkStan: 'stan-3', ...added, txHash: '0xcc' };
  const alone = await ledger.handlers.GetAuthorization({ tenant: spender, authorizationId }, call);
  t.match(alone, expected);
  const asked = { tenant: spender, agentId: spender.agentId, page: { limit: 10 } };
  const { entries } = await ledger.handlers.ListAgentAuthorizations(asked, call);
  t.match(entries, [expected]);
});

test('transaction hashes are matched case-insensitively', async (t) => {
  const lower = `0x${randomBytes(32).toString('hex')}`;
  const variants = [lower, `0x${lower.slice(2).toUpperCase()}`, mixed(lower)];
  for (const [index, kept] of variants.entries()) {
    const spender = newSpender();
    const paid = await approve(spender, { txHash: kept });
    const other = newSpender();
    const appended = await approve(other);
    await recordAll(other, [report({ authorizationId: appended, txHash: kept })]);
    for (const queried of variants) {
      const name = `${kept} by ${queried}`;
      const found = async (by: Spender) => {
        const [result] = await recordAll(by, [report({ txHash: queried, outcomeType: 'CLEARED' })]);
        return result?.outcome?.authorizationId ?? result?.status;
      };
      t.equal(await found(spender), paid, name);
      t.equal(await found(other), appended, `${name}, appended`);
      t.equal(await found(newSpender()), 'not_found', 'and of no other principal');
    }
    const { rows } = await ledger.context.stores.live.pool.query(
      `SELECT tx_hash AS kept FROM authorization_record WHERE id = $1
       UNION ALL SELECT value FROM reference WHERE authorization_id = $2 AND kind = 'tx_hash'`,
      [paid, appended],
    );
    t.same(rows, [{ kept }, { kept }], 'stored as it was sent');
    const newer = await approve(spender, { txHash: variants[(index + 1) % 3] });
    const dispute = report({ txHash: kept, outcomeType: 'CHARGEBACK' });
    const newest = await recordAll(spender, [dispute]);
    t.match(newest, [{ outcome: { authorizationId: newer } }], 'the newest, in any case');
  }
});

test('other transaction references are matched exactly', async (t) => {
  const spender = newSpender();
  const longer = `0x${'ab'.repeat(33)}`;
  for (const txHash of ['0xaBc', 'ORDER-7', longer]) {
    const authorizationId = await approve(spender, { txHash });
    for (const queried of [txHash.toUpperCase(), txHash.toLowerCase(), txHash]) {
      const [result] = await recordAll(spender, [report({ txHash: queried })]);
      t.equal(result?.outcome?.authorizationId, queried === txHash ? authorizationId : undefined);
    }
  }
});

test('recorded and appended hashes are looked up by an index', async (t) => {
  const { pool } = ledger.context.stores.live;
  const client = await pool.connect();
  try {
    // Small tables would be scanned, so this tests whether an index can be used.
    await client.query('BEGIN; SET LOCAL enable_seqscan = off');
    const hash = `0x${'aB'.repeat(32)}`;
    const { rows } = await client.query<Record<string, string>>(
      `EXPLAIN ${matchByReferenceSql.tx_hash}`,
      ['prn_test', [hash]],
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    for (const index of ['authorization_record_tx_hash_folded', 'reference_tx_hash_folded']) {
      t.match(plan, new RegExp(`Index Scan using ${index} `));
    }
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

test('references that an authorization lacks are appended and used for matching', async (t) => {
  const spender = newSpender();
  const authorizationId = await approve(spender, { authCode: 'A1' });
  const other = { authorizationId, txHash: '0xbeef', authCode: 'A2', chainId: '8453' };
  await recordAll(spender, [report(other), report({ ...other, chainId: '1' })]);
  const found = await recordAll(spender, [report({ txHash: '0xbeef', outcomeType: 'CLEARED' })]);
  t.match(found, [{ status: 'created', outcome: { authorizationId } }]);
  const { rows } = await ledger.context.stores.live.pool.query(
    'SELECT kind, value FROM reference WHERE authorization_id = $1 ORDER BY kind',
    [authorizationId],
  );
  t.same(rows, [
    { kind: 'chain_id', value: '8453' },
    { kind: 'tx_hash', value: '0xbeef' },
  ]);
});

test('large concurrent batches are all recorded', async (t) => {
  const spender = newSpender();
  const ids = await Promise.all(Array.from({ length: 100 }, () => approve(spender)));
  const reports = (): OutcomeReportInput[] =>
    ids.flatMap((authorizationId) =>
      ['SETTLED', 'CLEARED', 'CHARGEBACK'].map((outcomeType) =>
        report({ authorizationId, outcomeType }),
      ),
    );
  const batches = await Promise.all([
    recordAll(spender, reports()),
    recordAll(spender, reports().reverse(), other),
    recordAll(spender, reports()),
  ]);
  const created = batches.flat().filter(({ status }) => status === 'created');
  t.equal(created.length, 300);
  const first = ids[0] ?? '';
  const { outcomes, hasMore } = await outcomesOf(spender, first, { limit: 2 });
  t.match([outcomes.length, hasMore], [2, true]);
  const rest = await outcomesOf(spender, first, { limit: 2, after: outcomes[1] });
  t.match([rest.outcomes.length, rest.hasMore], [1, false]);
  const events = await count(
    ledger,
    `SELECT count(*) FROM outbox WHERE type = 'outcome.recorded' AND payload LIKE $1`,
    [`%${spender.principalId}%`],
  );
  t.equal(events, 300, 'one event per recorded outcome');
  const { rows } = await ledger.context.stores.live.pool.query<{ payload: string }>(
    `SELECT payload FROM outbox WHERE type = 'outcome.recorded' AND payload LIKE $1 LIMIT 1`,
    [`%${spender.principalId}%`],
  );
  const [event] = rows.map(({ payload }) => JSON.parse(payload).data);
  t.match(event, { authorizationId: String, outcomeType: String, reportedBy: /^[A-Z]+$/ });
});

test('the answer to a large batch fits into what a client receives', async (t) => {
  const served = await world.start();
  const address = `127.0.0.1:${(await startServer(served.context)).grpcPort}`;
  const parts = { service: ledgerService, transport: inTheClear, metrics: served.context.metrics };
  const client = createGrpcClient<LedgerDefinition>({ address, ...parts });
  t.teardown(() => client.close());
  const tenant = newSpender();
  const authorizationId = await approve(tenant);
  const sent = report({
    authorizationId,
    outcomeType: 'CHARGEBACK',
    evidenceJson: JSON.stringify({ letter: 'x'.repeat(16_000) }),
    notes: 'n'.repeat(5_000),
  });
  const record = async (reports: OutcomeReportInput[]) => {
    const options = { environment: 'live', requestId: 'req_1', deadlineMs: 10_000 } as const;
    return (await client.call.RecordOutcomes({ tenant, reports }, options)).results;
  };
  const [single] = await record([sent]);
  const { evidenceJson, notes, outcomeId } = sent;
  t.match(single, { status: 'created', outcome: { id: outcomeId, evidenceJson, notes } });
  const again = { authorizationId, outcomeType: 'CHARGEBACK' };
  const batch = await record(Array.from({ length: 500 }, () => report(again)));
  t.equal(batch.length, 500);
  const brief = { id: outcomeId, ...again, evidenceJson: undefined, notes: undefined };
  for (const result of batch) t.match(result, { status: 'duplicate', outcome: brief });
  const { outcomes } = await outcomesOf(tenant, authorizationId);
  t.match(outcomes, [{ evidenceJson, notes }], 'and it is kept');
});

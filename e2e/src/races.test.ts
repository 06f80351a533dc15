/**
 * All operations on decisions concurrently, on few mandates and through every replica. A checker
 * that recomputes everything verifies the final record.
 */
import { randomBytes } from 'node:crypto';
import { startStack } from '@countersign/tools/stack';
import t from 'tap';
import { api } from './api.js';
import { readBus } from './bus-reader.js';
import { check, type Limits, ledgerDatabase, untilAccounted } from './checker.js';
import { type ListedOutcome, outcomeViolations, type SeenReport } from './outcome-reports.js';
import { patience } from './patience.js';
import type { Purse } from './purse.js';
import { race } from './race-load.js';
import { insist } from './retries.js';
import { trusting } from './site.js';
import { expectStatus, newSpender, newTenant } from './tenant.js';

/** RACES=20000 is required for a release. */
const steps = Number(process.env.RACES ?? 1_000);
const seed = Number(process.env.RACE_SEED ?? 20_261_121);
t.setTimeout(360_000 + steps * 250);

const namespace = `races_${randomBytes(5).toString('hex')}`;
const stack = await startStack({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0', NAMESPACE: namespace },
  replicas: { gateway: 2, decision: 2, ledger: 2 },
  seed: false,
});
t.teardown(() => stack.stop());
const tenant = await newTenant(stack);
const limits = new Map<string, Limits>();

type Terms = Pick<Purse, 'currency' | 'exponent' | 'most'> & { limits: Limits };

/**
 * Each limit is the tightest one of some mandate; amounts above two thirds of the largest require a
 * human.
 */
const usd = { currency: 'USD', exponent: 2, most: 90_00 };
const terms: Terms[] = [
  { ...usd, limits: { dailyAmount: '500.00' } },
  { ...usd, limits: { dailyAmount: '4000.00', monthlyAmount: '400.00' } },
  { ...usd, limits: { dailyCount: 12 } },
  { ...usd, limits: { dailyAmount: '3000.00', monthlyCount: 12 } },
  { currency: 'JPY', exponent: 0, most: 9_000, limits: { dailyAmount: '50000' } },
  { currency: 'KWD', exponent: 3, most: 90_000, limits: { dailyAmount: '500.00' } },
];

async function newPurse({ limits: agreed, ...money }: Terms): Promise<Purse> {
  const { principalId, agentId } = await newSpender(stack, tenant);
  const headers = { 'x-api-key': tenant.apiKey, 'x-principal-id': principalId };
  const doors = stack.gatewayUrls.map((url) => api(url, headers));
  const [door] = doors;
  if (!door) throw new Error('there is no gateway');
  const largest = money.most / 10 ** money.exponent;
  const granted = await door.post('/api/v1/mandates', {
    agent_id: agentId,
    valid_until: new Date(Date.now() + 86_400_000).toISOString(),
    currency: money.currency,
    max_amount_per_transaction: String(largest),
    max_daily_amount: agreed.dailyAmount,
    max_monthly_amount: agreed.monthlyAmount,
    max_daily_count: agreed.dailyCount,
    max_monthly_count: agreed.monthlyCount,
  });
  limits.set(expectStatus(granted, 201).id, agreed);
  const body = { ...trusting, step_up_amount_threshold: String((largest * 2) / 3) };
  expectStatus(await door.call('PUT', '/api/v1/thresholds', { body }), 200);
  return { principalId, agentId, doors, ...money };
}

/** The outcomes of every authorization that was reported on. */
async function listOutcomes(
  purses: readonly Purse[],
  reports: readonly SeenReport[],
): Promise<ListedOutcome[]> {
  const listed: ListedOutcome[] = [];
  const about = new Map(reports.map((report) => [report.authorizationId, report.principalId]));
  for (const [id, principalId] of about) {
    const purse = purses.find((each) => each.principalId === principalId);
    const [door] = purse?.doors ?? [];
    if (!door) throw new Error(`${principalId} has no purse`);
    listed.push(...expectStatus(await door.get(`/api/v1/outcomes/${id}?limit=100`), 200).data);
  }
  return listed;
}

t.test(`${steps} steps at once, judged by what is on record`, async (t) => {
  const purses: Purse[] = [];
  for (const each of terms) purses.push(await insist('a purse', () => newPurse(each)));
  const told = await race({ purses, steps, seed });
  const { answers, amendments, reports, refused } = told;
  t.same(told.unexplained.slice(0, 20), [], `seed ${seed}: nothing but what the contract says`);

  const databaseUrl = ledgerDatabase(stack);
  await untilAccounted({ databaseUrl, answers });
  const delivered = await readBus(stack.urls.nats, { namespace });
  const evidence = { databaseUrl, answers, amendments, limits, delivered };
  const { violations, figures } = await check(evidence);
  t.same(violations, [], `seed ${seed}: the record`);
  const outcomes = await listOutcomes(purses, reports);
  t.same([...outcomeViolations(reports, outcomes)].slice(0, 20), [], `seed ${seed}: outcomes`);

  const count = (kind: string) => amendments.filter((each) => each.kind === kind).length;
  const declines = (code: string) => answers.filter(({ text }) => text.includes(code)).length;
  const met = {
    ...refused,
    approvals: figures.approvals,
    dailyAmounts: declines('DAILY_AMOUNT_EXCEEDED'),
    monthlyAmounts: declines('MONTHLY_AMOUNT_EXCEEDED'),
    dailyCounts: declines('DAILY_COUNT_EXCEEDED'),
    monthlyCounts: declines('MONTHLY_COUNT_EXCEEDED'),
    confirmed: count('CONFIRMED'),
    denied: count('DENIED'),
    reversed: count('REVERSED'),
    replays: answers.length - figures.records,
    outcomes: outcomes.length,
    revised: reports.length - outcomes.length,
  };
  t.comment(JSON.stringify({ ...met, ...figures, shed: told.shed }));
  t.same(
    Object.entries(met).filter(([, times]) => times === 0),
    [],
    'everything met everything',
  );
});

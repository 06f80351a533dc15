import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import { factsWith } from '../test/ordinary-agent.js';
import { Baseline } from './baseline.js';
import { likenessOf } from './compare.js';
import { packTrace } from './packed-trace.js';
import { type AnomalyResult, anomalyCodes, anomalyScore } from './score.js';
import { traceOf, wordNumber } from './trace.js';
import { readTraces, traceText } from './trace-rows.js';

const dayMs = 86_400_000;
const begin = Date.parse('2026-08-03T00:00:00.000Z');

const orNull = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(some, { nil: null });
const said = fc.oneof(
  fc.constantFrom('', ' ', 'order-1', 'Paper for the office, the cheapest of three offers'),
  fc.string({ unit: 'binary', maxLength: 300 }),
);
const confidence = fc.oneof(
  fc.constantFrom(0, 0.4999, 0.499_999_999_999_999_94, 1),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
const transfer = fc.record({
  chain: fc.constantFrom('base', 'polygon'),
  asset: fc.constant('USDC'),
  counterparty: fc.constantFrom('one', `0x${'a1'.repeat(20)}`),
  fromAddress: fc.constant(null),
  value: fc.constant('1'),
  operation: fc.constantFrom('transfer', 'approve'),
});
const payment = fc.record({
  amount: fc.constantFrom('0.0001', '0.01', '1', '10.00', '999999999999999', '999999999999999.99'),
  currency: fc.constantFrom('USD', 'JPY', 'KWD', 'CLF'),
  mcc: orNull(fc.constantFrom('0000', '5411', '7995')),
  country: orNull(fc.constantFrom('USA', 'DEU')),
  merchantName: orNull(fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G')),
  crypto: orNull(transfer),
  capability: orNull(fc.constantFrom('PURCHASE', 'TRANSFER')),
  intentContext: fc.record({
    taskReference: said,
    reasoningSummary: orNull(said),
    confidence: orNull(confidence),
    alternativesConsidered: orNull(fc.constantFrom(0, 3, 4_294_967_295)),
    intentType: orNull(fc.constantFrom('PURCHASE', 'BALANCE_INQUIRY', '__proto__')),
    recurrenceNumber: orNull(fc.constantFrom(1, 4_294_967_295)),
  }),
});
/** Both clustered and spread out; the payment that is judged may be older than its history. */
const at = fc
  .oneof(fc.nat(1_000), fc.nat(3 * 3_600_000), fc.nat(100 * dayMs))
  .map((after) => begin + after);
const learnt = fc.record({ payment, at, approved: fc.boolean(), id: fc.nat() });
const past = fc.oneof(
  { weight: 9, arbitrary: fc.uniqueArray(learnt, { maxLength: 50, selector: ({ id }) => id }) },
  fc.uniqueArray(learnt, { minLength: 270, maxLength: 400, selector: ({ id }) => id, size: 'max' }),
);

type Learnt = typeof learnt extends fc.Arbitrary<infer T> ? T : never;

/** In the process that learnt the payments, and in one that reads the rows in reverse order. */
function baselines(rows: readonly Learnt[]): [Baseline, Baseline] {
  const [mine, its] = [new Baseline(), new Baseline()];
  const traced = rows.map((row, version) => {
    const { merchant, recorded } = traceOf(factsWith(row.payment, undefined).payment);
    const trace = JSON.parse(JSON.stringify(recorded));
    const packed = packTrace({ ...row.payment, merchant, trace });
    return { ...row, version, name: wordNumber(`auth_${row.id}`), packed };
  });
  for (const row of traced) mine.put(row);
  const listed = traced.map(({ version, approved, name, packed, ...row }) =>
    [version, Number(approved), row.at, name, traceText(packed)].join(),
  );
  const text = listed.reverse().join('],[');
  for (const row of readTraces(text === '' ? null : text)) its.put(row);
  return [mine, its];
}

function assertNumbers(value: unknown): void {
  if (typeof value === 'number') assert.ok(Number.isFinite(value), `${value}`);
  else if (typeof value === 'object' && value) Object.values(value).forEach(assertNumbers);
}

function assertScore(anomaly: AnomalyResult): void {
  assertNumbers(anomaly);
  assert.ok(anomaly.score >= 0 && anomaly.score < 1);
  assert.ok(!(anomaly.triggered && anomaly.skipped));
  const shares = anomaly.features.reduce((sum, { share }) => sum + share, 0);
  assert.ok(anomaly.features.length === 0 || Math.abs(shares - 1) < 0.001, `${shares}`);
  if (anomaly.score === 0) assert.deepEqual(anomalyCodes(anomaly), []);
}

test('for any history the score is a finite number and can be recomputed from the record', (t) => {
  const numbers = fc.record({ at, minHistory: fc.nat(25), seenByHuman: fc.boolean() });
  fc.assert(
    fc.property(past, payment, numbers, (rows, patch, { at, minHistory, seenByHuman }) => {
      const [mine, its] = baselines(rows);
      const facts = factsWith(patch, undefined);
      const compared = { payment: facts.payment, at, minHistory };
      const likeness = likenessOf(mine, compared);
      assertNumbers(likeness);
      const again = { ...compared, payment: structuredClone(facts.payment) };
      assert.deepEqual(likenessOf(its, again), likeness);
      const thresholds = { ...facts.thresholds, intentAnomalyMinHistory: minHistory };
      const judged = { ...facts, thresholds, likeness };
      const anomaly = anomalyScore(judged, seenByHuman);
      assertScore(anomaly);
      assert.deepEqual(anomalyScore(JSON.parse(JSON.stringify(judged)), seenByHuman), anomaly);
    }),
    { numRuns: 300 },
  );
  t.end();
});

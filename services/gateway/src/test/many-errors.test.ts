import type { FieldError } from '@countersign/kernel/fault';
import { t as file, test } from 'tap';
import { Surface } from './surface.js';

const surface = await Surface.start();
file.teardown(() => surface.close());
const largestBody = 2 * 1024 * 1024;

async function errorsOf(body: string) {
  const { key } = surface;
  const path = '/api/v1/outcomes/batch';
  const headers = { 'Content-Type': 'application/json' };
  const { status, text, json } = await surface.gateway.call(path, {
    method: 'POST',
    key,
    raw: body,
    headers,
  });
  return { status, bytes: text.length, errors: (json?.error.details.errors ?? []) as FieldError[] };
}

function isNotAll({ field, type }: FieldError): boolean {
  return field === '' && type === 'too_many_errors';
}

test('every wrong field of the largest batch is named', async (t) => {
  const wrong = {
    authorization_id: 'x',
    outcome_type: 'x'.repeat(65),
    reported_at: 'x',
    reported_by: 'X',
    settled_amount: 'x',
    settled_currency: 'x',
    settled_at: 'x',
    evidence: 'x',
    notes: 1,
    external_reference_id: 1,
    chain_id: -1,
    unknown: 1,
  };
  const names = Object.keys(wrong);
  const rows = Array.from({ length: 500 }, () => wrong);
  const { status, errors } = await errorsOf(JSON.stringify({ outcomes: rows }));
  t.equal(status, 422);
  const told = new Set(errors.map(({ field }) => field));
  const missing = rows.flatMap((_, row) =>
    names.map((name) => `outcomes.${row}.${name}`).filter((field) => !told.has(field)),
  );
  t.same(missing, []);
  t.notOk(errors.some(isNotAll), 'and nothing says that there are more');
});

const deepName = 'k'.repeat(500_000);

/** Bodies in which nearly every byte is a mistake. */
const hostile: ReadonlyArray<readonly [what: string, body: string]> = [
  ['unknown fields', `{"outcomes":[${Array(180).fill(unknownFields()).join(',')}]}`],
  ['characters', `{"outcomes":[${Array(100_000).fill('"\\u0000"').join(',')}]}`],
  ['long names', `{"${deepName}":[${Array(100_000).fill('"\\u0000"').join(',')}]}`],
];

test('a name that is longer than any is told shortened', async (t) => {
  const { errors } = await errorsOf(`{"outcomes":[{"${deepName}":1}]}`);
  const field = errors.find(({ type }) => type === 'unrecognized_keys')?.field;
  t.equal(field, `outcomes.0.${'k'.repeat(200)}…`);
});

function unknownFields(): string {
  const names = Array.from({ length: 1_000 }, (_, at) => `"${at.toString(36)}":1`);
  return `{${names.join(',')}}`;
}

for (const [what, body] of hostile) {
  test(`what is wrong everywhere is answered within bounds, which is said: ${what}`, async (t) => {
    t.ok(body.length < largestBody, 'a body that is read');
    const { status, bytes, errors } = await errorsOf(body);
    t.equal(status, 422);
    t.ok(errors.length > 1, `${errors.length} errors`);
    t.ok(bytes < 3 * largestBody, `${bytes} bytes`);
    t.same(errors.filter(isNotAll), errors.slice(-1), 'the last one says that these are not all');
  });
}

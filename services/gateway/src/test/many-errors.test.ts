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

const row = {
  authorization_id: 'auth_01k5a3v7q8e9f0g1h2j3k4m5n6',
  outcome_type: 'SETTLED',
  reported_at: '2026-01-01T00:00:00Z',
  reported_by: 'ISSUER',
};

function isNotAll({ field, type }: FieldError): boolean {
  return field === '' && type === 'too_many_errors';
}

test('the same two mistakes in every row of the largest batch are all named', async (t) => {
  const wrong = { ...row, settled_amount: 'x', unknown: 1 };
  const names = ['settled_amount', 'unknown'];
  const rows = Array.from({ length: 500 }, () => wrong);
  const { status, errors } = await errorsOf(JSON.stringify({ outcomes: rows }));
  t.equal(status, 422);
  const told = new Set(errors.map(({ field }) => field));
  const missing = rows.flatMap((_, at) =>
    names.map((name) => `outcomes.${at}.${name}`).filter((field) => !told.has(field)),
  );
  t.same(missing, []);
  t.notOk(errors.some(isNotAll), 'and nothing says that there are more');
});

test('three are told as far as there is room', async (t) => {
  const rows = Array(500).fill({ ...row, settled_amount: 'x', unknown: 1, other: 1 });
  const { errors } = await errorsOf(JSON.stringify({ outcomes: rows }));
  t.equal(errors.length, 1_001);
  t.same(errors.filter(isNotAll), errors.slice(-1), 'the last one says that these are not all');
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
    t.ok(bytes < 300 * 1024, `${bytes} bytes`);
    t.same(errors.filter(isNotAll), errors.slice(-1), 'the last one says that these are not all');
  });
}

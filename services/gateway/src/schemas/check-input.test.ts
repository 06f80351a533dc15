import { test } from 'tap';
import { z } from 'zod';
import { JsonNumber } from '../json/number.js';
import { checkAsSent, checkWithoutNulls } from './check-input.js';
import { fieldErrors } from './field-errors.js';

const schema = z.strictObject({
  name: z.string(),
  size: z.int().default(1),
  note: z.string().optional(),
  cleared: z.string().nullable().optional(),
  inner: z.strictObject({ kind: z.string().optional() }).optional(),
  list: z.array(z.strictObject({ kind: z.string().optional() })).optional(),
  words: z.array(z.string()).optional(),
  exact: z.instanceof(JsonNumber).optional(),
});

function errors(value: unknown): string[] {
  const { result, input } = checkWithoutNulls(schema, value);
  if (result.success) return [];
  return [...fieldErrors(result.error, input)].map(({ field, type }) => `${field}:${type}`);
}

test('a member that is null counts as absent, wherever it is', async (t) => {
  const exact = new JsonNumber('0.12345678901234567890');
  const sent = {
    ...{ name: 'a', size: null, note: null, exact },
    ...{ inner: { kind: null }, list: [{ kind: null }, { kind: 'b' }] },
  };
  const before = structuredClone({ ...sent, exact: null });
  const { result, input } = checkWithoutNulls(schema, sent);
  t.strictSame(result.data, { name: 'a', size: 1, exact, inner: {}, list: [{}, { kind: 'b' }] });
  t.equal((result.data as { exact: unknown }).exact, exact, 'a number keeps its text');
  t.not(input, sent);
  t.strictSame({ ...sent, exact: null }, before, 'what was sent remains as it was');
});

test('null stays null where the schema takes it', async (t) => {
  const { result } = checkWithoutNulls(schema, { name: 'a', cleared: null, note: null });
  t.strictSame(result.data, { name: 'a', size: 1, cleared: null });
});

test('null is no value for what is required, no item of a list and no body', async (t) => {
  t.same(errors({ name: null }), ['name:required']);
  t.same(errors({ name: null, note: null, size: 'x' }), ['name:required', 'size:invalid_type']);
  t.same(errors({ name: 'a', words: ['b', null] }), ['words.1:invalid_type']);
  t.same(errors({ name: 'a', list: [null] }), ['list.0:invalid_type']);
  t.same(errors({ name: 'a', unknown: null }), ['unknown:unrecognized_keys']);
  t.same(errors(null), [':invalid_type']);
});

test('an input that is checked as sent has no null but where the schema takes it', async (t) => {
  t.notOk(checkAsSent(schema, { name: 'a', note: null }).result.success);
  t.ok(checkAsSent(schema, { name: 'a', cleared: null }).result.success);
});

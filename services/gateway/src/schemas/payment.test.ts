import { test } from 'tap';
import { errorsOf, problems, read } from '../test/problems.js';
import { amount } from './amount.js';
import { freeObject } from './free-object.js';
import { authorize } from './payment.js';

type Json = Record<string, unknown>;

const payment = {
  agent_id: 'agt_01k5a3v7q8e9f0g1h2j3k4m5n6',
  amount: '10.00',
  intent_context: { task_reference: 'task-1' },
};

test('money is read from its source text, as text or number, and comes out plain', async (t) => {
  const accepted: Array<[source: string, plain: string]> = [
    ['"10.00"', '10'],
    ['10', '10'],
    ['10.00', '10'],
    ['1e2', '100'],
    ['"0.01"', '0.01'],
    ['999999999999999.99', '999999999999999.99'],
    ['"999999999999999.99"', '999999999999999.99'],
    ['0.123456789012345678', '0.123456789012345678'],
  ];
  for (const [source, plain] of accepted) {
    t.equal(amount().parse(read(source)), plain, source);
  }
  const refused: Array<[source: string, type: string]> = [
    ['"0"', 'not_positive'],
    ['0', 'not_positive'],
    ['-1', 'not_positive'],
    ['"-1.00"', 'not_positive'],
    ['"1e2"', 'not_decimal'],
    ['"01.00"', 'not_decimal'],
    ['" 1"', 'not_decimal'],
    ['"1,00"', 'not_decimal'],
    ['""', 'not_decimal'],
    ['true', 'not_decimal'],
    ['null', 'not_decimal'],
    ['[]', 'not_decimal'],
    ['{}', 'not_decimal'],
    ['1e15', 'too_large'],
    ['"1000000000000000"', 'too_large'],
    ['1e300', 'too_large'],
    ['1e-300', 'too_many_decimals'],
    ['0.1234567890123456789', 'too_many_decimals'],
  ];
  for (const [source, type] of refused) {
    t.same(problems(amount(), read(source)), [`:${type}`], source);
  }
});

test('what is no object is not said to lack single fields', async (t) => {
  for (const body of ['[]', '[{}]', '5', '"x"', 'null', 'true']) {
    t.same(problems(authorize, read(body)), [':invalid_type'], body);
  }
});

test('an amount has at most the decimals of its currency', async (t) => {
  const at = (value: string, currency: string) =>
    problems(authorize, { ...payment, amount: value, currency });
  t.same(at('10.00', 'JPY'), [], 'decimals that are zero say nothing');
  t.same(at('10.1', 'JPY'), ['amount:too_many_decimals']);
  t.same(at('10.01', 'USD'), []);
  t.same(at('10.001', 'USD'), ['amount:too_many_decimals']);
  t.same(at('10.001', 'KWD'), []);
  t.same(at('10.0001', 'KWD'), ['amount:too_many_decimals']);
  t.same(at('10', 'XXX'), ['currency:invalid_currency']);
  t.same(at('10', 'usd'), ['currency:invalid_currency']);
  const [error] = errorsOf(authorize, { ...payment, amount: '0.001' });
  t.equal(error?.message, 'has too many decimals: USD has 2');
});

test('a payment: what is required, what is refused', async (t) => {
  const rows: Array<[change: Json, problems: string[]]> = [
    [{}, []],
    [{ agent_id: undefined }, ['agent_id:required']],
    [{ agent_id: undefined, agent_did: 'did:key:z6Mk' }, []],
    [{ agent_id: 'agt_nobody' }, []],
    [{ agent_id: 'prn_01k5a3v7q8e9f0g1h2j3k4m5n6' }, ['agent_id:invalid_format']],
    [{ agent_did: 'did:' }, ['agent_did:invalid_format']],
    [{ amount: undefined }, ['amount:required']],
    [{ intent_context: undefined }, ['intent_context:required']],
    [{ intent_context: {} }, ['intent_context.task_reference:required']],
    [
      { intent_context: { task_reference: 't', confidence: 1.5 } },
      ['intent_context.confidence:too_big'],
    ],
    [
      { intent_context: { task_reference: 't', mood: 1 } },
      ['intent_context.mood:unrecognized_keys'],
    ],
    [{ mcc: '541' }, ['mcc:invalid_format']],
    [{ mcc: 5411 }, ['mcc:invalid_type']],
    [{ country: 'US' }, ['country:invalid_country']],
    [{ country: 'usa' }, ['country:invalid_country']],
    [{ country: 'USA' }, []],
    [{ capability: 'FLY' }, ['capability:invalid_value']],
    [{ rail: 'WIRE' }, ['rail:invalid_value']],
    [{ client_reference: 'x'.repeat(128) }, []],
    [{ client_reference: 'x'.repeat(129) }, ['client_reference:invalid_length']],
    [{ client_reference: 'x'.repeat(257) }, ['client_reference:invalid_length']],
    [{ client_reference: '\u{1f600}'.repeat(128) }, []],
    [{ client_reference: '\u{1f600}'.repeat(129) }, ['client_reference:invalid_length']],
    [{ client_reference: '' }, ['client_reference:invalid_length']],
    [{ chain_id: 1.5 }, ['chain_id:invalid_type']],
    [{ surprise: 1, another: 2 }, ['surprise:unrecognized_keys', 'another:unrecognized_keys']],
    [{ metadata: [] }, ['metadata:invalid_type']],
    [{ transaction_id: 'auth_1' }, ['transaction_id:invalid_format']],
  ];
  for (const [change, expected] of rows) {
    t.same(problems(authorize, { ...payment, ...change }), expected, JSON.stringify(change));
  }
  const spelled = authorize.parse({
    ...payment,
    merchant_id: 'Cafe\u0301',
    merchant_name: 'Cafe\u0301',
  });
  t.match(
    spelled,
    { merchant_id: 'Caf\u00e9', merchant_name: 'Cafe\u0301' },
    'names stay as they are',
  );
  t.has(authorize.parse(payment), { currency: 'USD', rail: 'CARD', amount: '10' });
  t.equal(
    problems(authorize, { surprise: 1, amount: 'x' }).length,
    4,
    'everything that is wrong is told at once',
  );
});

test('an idempotency key has 8 to 128 characters of a small alphabet', async (t) => {
  const at = (key: unknown) => problems(authorize, { ...payment, idempotency_key: key });
  for (const key of ['abcdefgh', 'A-Z_a.z:0', 'x'.repeat(128)]) t.same(at(key), [], key);
  for (const key of [
    'abcdefg',
    'x'.repeat(129),
    'with space',
    'ünïcödé8',
    'a/b/c/d/e',
    'abcdefg\n',
  ]) {
    t.same(at(key), ['idempotency_key:invalid_format'], key);
  }
});

test('a crypto payment names its transfer; USDC is worth its dollars', async (t) => {
  const crypto = { chain: 'base', asset: 'USDC', counterparty: '0xabc', value: '10' };
  const at = (change: Json, transfer: unknown = crypto) =>
    problems(authorize, { ...payment, rail: 'CRYPTO', crypto: transfer, ...change });
  t.same(at({}), []);
  t.same(at({ crypto: undefined }), ['crypto:crypto_required']);
  t.same(at({ rail: 'CARD' }), ['crypto:crypto_not_allowed']);
  t.same(at({}, {}), [
    'crypto.chain:required',
    'crypto.asset:required',
    'crypto.counterparty:required',
    'crypto.value:required',
  ]);
  t.same(at({}, { ...crypto, value: '10.01' }), ['crypto.value:value_exceeds_amount']);
  t.same(at({}, { ...crypto, value: '9.1234567' }), ['crypto.value:too_many_decimals']);
  t.same(at({ currency: 'EUR' }), ['currency:currency_mismatch']);
  t.same(at({ currency: 'EUR' }, { ...crypto, asset: 'EURC' }), []);
  t.same(at({}, { ...crypto, operation: 'swap' }), ['crypto.operation:invalid_value']);
  t.equal(authorize.parse({ ...payment, rail: 'CRYPTO', crypto }).crypto?.operation, 'transfer');
});

test('an intent chain is judged by shape and size alone', async (t) => {
  const at = (chain: Json) => problems(authorize, { ...payment, vi_chain: chain });
  t.same(at({ l1: 'a~', l2: 'b~' }), []);
  t.same(at({ l2: 'b~' }), ['vi_chain.l1:required']);
  t.same(at({ l1: 'a~', l2: 'b~', version: '9' }), ['vi_chain.version:invalid_value']);
  t.same(at({ l1: 'a~', l2: 'b~', format: 'ap2+dsd-jwt' }), ['vi_chain.format:invalid_value']);
  t.same(at({ l1: 'a~', l2: 'b~', l3_checkout: 'c~' }), ['vi_chain.l2_checkout:missing']);
  t.same(at({ l1: 'a'.repeat(16_385), l2: 'b~' }), ['vi_chain.l1:too_big']);
  t.same(at({ l1: 'a~', l2: 'b~', extra: 'x' }), ['vi_chain.extra:unrecognized_keys']);
  const full = 'a'.repeat(16_384);
  t.same(at({ l1: full, l2: full, l3_payment: full, l3_checkout: full, l2_checkout: 'x' }), [
    'vi_chain:too_large',
  ]);
});

test('a free object is an object, at most 16 KiB and 8 levels deep', async (t) => {
  const schema = freeObject('Anything.');
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  t.same(problems(schema, nested(8)), []);
  t.same(problems(schema, nested(9)), [':too_deep']);
  t.same(problems(schema, nested(30)), [':too_deep']);
  t.same(problems(schema, { a: 'x'.repeat(16 * 1024 - 8) }), []);
  t.same(problems(schema, { a: 'x'.repeat(16 * 1024 - 7) }), [':too_large']);
  for (const wrong of [null, [], 'text', 1, read('1.00000000000000000001')]) {
    t.same(problems(schema, wrong), [':invalid_type']);
  }
});

test('a number in a free object is kept as it was sent, or it is an error', async (t) => {
  const schema = freeObject('Anything.');
  const kept = '{"a":[9007199254740992,0.30000000000000004,100000000000000000000],"b":"1e999"}';
  t.same(problems(schema, read(kept)), []);
  t.equal(JSON.stringify(schema.parse(read(kept))), kept);
  const order = '{"a":1,"order":{"ids":[1,9007199254740993],"of":0.12345678901234567890}}';
  t.same(problems(schema, read(order)), ['order.ids.1:inexact_number']);
});

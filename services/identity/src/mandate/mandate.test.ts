import { readFileSync } from 'node:fs';
import { canonicalJson } from '@countersign/kernel/canonical';
import { Fault } from '@countersign/kernel/fault';
import type { CreateMandateRequest } from '@countersign/proto/identity';
import { test } from 'tap';
import { hashedFields, mandateHash } from './hash.js';
import { type GrantContext, readTerms } from './request.js';
import { listFields, type MandateTerms, wireName } from './terms.js';
import { mandateStatus } from './view.js';

const nowMs = Date.parse('2026-11-21T09:30:00.000Z');
const emptyLists = Object.fromEntries(listFields.map((field) => [field, []])) as unknown as Record<
  (typeof listFields)[number],
  string[]
>;

function request(given: Partial<CreateMandateRequest> = {}): CreateMandateRequest {
  return {
    id: 'mnd_1',
    clientId: 'cli_1',
    agentId: 'agt_1',
    rails: ['card'],
    currency: 'USD',
    maxAmountPerTransaction: '100',
    ...emptyLists,
    ...given,
  };
}

const program = {
  id: 'prg_1',
  rails: ['card', 'crypto'],
  defaultCurrency: 'EUR',
  ceilingPerTransaction: null,
  ceilingDaily: null,
  ceilingMonthly: null,
} satisfies GrantContext['program'];

function grant(given: Partial<GrantContext> = {}): GrantContext {
  return {
    agentId: 'agt_1',
    principalId: 'prn_1',
    program,
    plane: 'onboarding',
    fieldPrefix: '',
    nowMs,
    ...given,
  };
}

function problems(
  given: Partial<CreateMandateRequest>,
  within: Partial<GrantContext> = {},
): string {
  try {
    readTerms(request(given), grant(within));
    return 'holds';
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const fields = (error.errors ?? []).map(({ field, type }) => `${field}:${type}`);
    return fields.length > 0 ? fields.join(' ') : error.code;
  }
}

interface Vector {
  name: string;
  mandate: Record<string, unknown> & { crypto?: { max_transfer?: string } };
  canonical: string;
  mandate_hash: string;
}

function publishedVectors(): Vector[] {
  const page = readFileSync(new URL('../../../../docs/mandate-hash.md', import.meta.url), 'utf8');
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  return JSON.parse(json) as Vector[];
}

function termsOf({ mandate }: Vector): MandateTerms {
  const at = <T>(name: string): T | null => (mandate[name] as T | undefined) ?? null;
  const lists = listFields.map((field) => [field, at<string[]>(wireName(field)) ?? []]);
  return {
    agentId: at<string>('agent_id') ?? '',
    principalId: at<string>('principal_id') ?? '',
    programId: at('program_id'),
    rails: at<MandateTerms['rails']>('rails') ?? [],
    currency: at<string>('currency') ?? '',
    maxPerTransaction: at<string>('max_amount_per_transaction') ?? '',
    maxDaily: at('max_daily_amount'),
    maxMonthly: at('max_monthly_amount'),
    maxDailyCount: at('max_daily_count'),
    maxMonthlyCount: at('max_monthly_count'),
    cryptoMaxTransfer: mandate.crypto?.max_transfer ?? null,
    validFrom: new Date(at<string>('valid_from') ?? ''),
    validUntil: new Date(at<string>('valid_until') ?? ''),
    ...(Object.fromEntries(lists) as Record<(typeof listFields)[number], string[]>),
  };
}

test('hashes match the published test vectors', async (t) => {
  const vectors = publishedVectors();
  t.ok(vectors.length >= 3);
  for (const vector of vectors) {
    const terms = termsOf(vector);
    t.equal(canonicalJson(hashedFields(terms)), vector.canonical, vector.name);
    t.equal(mandateHash(terms), vector.mandate_hash, vector.name);
  }
});

test('a hash depends on every term, but not on order, duplicates or amount format', async (t) => {
  const [, full] = publishedVectors();
  if (!full) return t.fail('no vector with every term');
  const terms = termsOf(full);
  const hash = mandateHash(terms);
  const reversed = Object.fromEntries(listFields.map((f) => [f, [...terms[f]].reverse()]));
  t.equal(mandateHash({ ...terms, ...reversed, rails: ['card', 'crypto'] }), hash);
  t.equal(mandateHash({ ...terms, allowedMccs: [...terms.allowedMccs, '5411'] }), hash);
  t.equal(mandateHash({ ...terms, maxPerTransaction: '100.5', maxDaily: '200' }), hash);
  const others: Array<Partial<MandateTerms>> = [
    { agentId: 'agt_other' },
    { principalId: 'prn_other' },
    { programId: null },
    { rails: ['card'] },
    { currency: 'EUR' },
    { maxPerTransaction: '100.51' },
    { maxDaily: null },
    { maxMonthly: null },
    { maxDailyCount: null },
    { maxMonthlyCount: 51 },
    { cryptoMaxTransfer: null },
    { validFrom: new Date(nowMs + 1) },
    { validUntil: new Date(nowMs + 2) },
    ...listFields.map((field) => ({ [field]: [] })),
    ...listFields.map((field) => ({ [field]: [...terms[field], 'one more'] })),
  ];
  const seen = new Set([hash]);
  for (const other of others) {
    const changed = mandateHash({ ...terms, ...other });
    t.notOk(seen.has(changed), `it depends on ${Object.keys(other)}`);
    seen.add(changed);
  }
});

test('a mandate is valid for 365 days from now by default, and for 5 years at most', async (t) => {
  const terms = readTerms(request(), grant());
  t.equal(terms.validFrom.getTime(), nowMs);
  t.equal(terms.validUntil.toISOString(), '2027-11-21T09:30:00.000Z');
  const until = (text: string) => problems({ validUntil: text });
  t.equal(until('2026-11-21T09:31:00.000Z'), 'holds');
  t.equal(until('2026-11-21T09:30:59.999Z'), 'valid_until:out_of_range');
  t.equal(until('2031-11-21T09:30:00.000Z'), 'holds');
  t.equal(until('2031-11-21T09:30:00.001Z'), 'valid_until:out_of_range');
  t.equal(until('soon'), 'valid_until:invalid_value');
  t.equal(
    problems({ validFrom: '2027-01-01T00:00:00Z', validUntil: '2026-12-31T00:00:00Z' }),
    'valid_from:out_of_range',
  );
  t.equal(problems({ validFrom: '2027-01-01T00:00:00Z' }), 'holds', 'may start in the future');
  const late = readTerms(request({ validFrom: '2031-06-01T00:00:00Z' }), grant());
  t.equal(late.validUntil.toISOString(), '2031-11-21T09:30:00.000Z', 'no default is out of range');
  t.equal(problems({ validFrom: '2031-12-01T00:00:00Z' }), 'valid_from:out_of_range');
  const validUntil = '2027-01-01T00:00:00Z';
  t.equal(problems({ validFrom: '0001-01-01T00:00:00Z', validUntil }), 'holds', 'or in the past');
  for (const validFrom of ['0000-06-01T00:00:00Z', '0001-01-01T00:00:00+02:00', '+010000-01-01']) {
    t.equal(problems({ validFrom }), 'valid_from:invalid_value', validFrom);
  }
});

test('the decimals of amounts depend on API and currency; all errors are listed', async (t) => {
  const amount = (
    currency: string,
    maxAmountPerTransaction: string,
    plane: GrantContext['plane'],
  ) => problems({ currency, maxAmountPerTransaction }, { plane });
  t.equal(amount('USD', '10.25', 'onboarding'), 'holds');
  t.equal(
    amount('USD', '10.255', 'onboarding'),
    'limits.max_amount_per_transaction:too_many_decimals',
  );
  t.equal(amount('JPY', '10.2', 'runtime'), 'max_amount_per_transaction:too_many_decimals');
  t.equal(amount('KWD', '10.255', 'onboarding'), 'holds');
  t.equal(amount('KWD', '10.255', 'runtime'), 'max_amount_per_transaction:too_many_decimals');
  t.equal(amount('USD', '1000000000000000', 'runtime'), 'max_amount_per_transaction:too_large');
  t.equal(amount('usd', '1', 'runtime'), 'currency:invalid_value');
  t.equal(
    problems({ maxAmountPerTransaction: '-1', maxDailyAmount: 'x', maxDailyCount: 0 }),
    'limits.max_amount_per_transaction:not_decimal limits.max_daily_amount:not_decimal ' +
      'max_daily_count:invalid_value',
  );
  t.equal(readTerms(request({ currency: '' }), grant()).currency, 'EUR', 'of the program');
});

test('limits above a ceiling are refused, and omitted limits become the ceiling', async (t) => {
  const capped = {
    ...program,
    ceilingPerTransaction: '100',
    ceilingDaily: '150.75',
    ceilingMonthly: '0.5',
  };
  const limits = {
    maxAmountPerTransaction: '100',
    maxDailyAmount: '150.75',
    maxMonthlyAmount: '0.5',
  };
  t.equal(problems(limits, { program: capped }), 'holds', 'limits may equal the ceiling');
  const above = { maxAmountPerTransaction: '100.01', maxDailyAmount: '151', maxMonthlyAmount: '1' };
  t.equal(
    problems(above, { program: capped, plane: 'runtime' }),
    ['max_amount_per_transaction', 'max_daily_amount', 'max_monthly_amount']
      .map((name) => `${name}:limit_above_program_ceiling`)
      .join(' '),
  );
  for (const [name, value] of Object.entries(above)) {
    const one = problems({ ...limits, [name]: value }, { program: capped });
    t.equal(one, 'limit_above_program_ceiling', `${name}: the onboarding API has its own code`);
  }
  const inherited = readTerms(request({ maxMonthlyAmount: '0.4' }), grant({ program: capped }));
  t.has(inherited, { maxDaily: '150.75', maxMonthly: '0.4' });
  const yen = request({ currency: 'JPY', maxMonthlyAmount: undefined });
  t.equal(readTerms(yen, grant({ program: { ...capped, ceilingMonthly: '9.9' } })).maxMonthly, '9');
  t.equal(
    problems({ currency: 'JPY' }, { program: capped }),
    'limit_above_program_ceiling',
    'a ceiling below the smallest amount permits no mandate',
  );
});

test('rails are requested in the onboarding API and derived in the runtime API', async (t) => {
  const crypto = { chains: ['base'], assets: ['USDC'] };
  const cardOnly = { ...program, rails: ['card'] };
  t.same(readTerms(request({ rails: ['crypto', 'card'], crypto }), grant()).rails, [
    'card',
    'crypto',
  ]);
  t.equal(problems({ rails: ['crypto'], crypto }, { program: cardOnly }), 'rail_not_enabled');
  t.equal(problems({}, { program: null }), 'rail_not_enabled');
  t.equal(problems({ rails: ['crypto'] }), 'crypto:required');
  t.equal(problems({ crypto }), 'crypto:not_allowed');
  t.equal(problems({ rails: [] }), 'rails:invalid_value');
  t.equal(problems({ rails: ['wire'] }), 'rails:invalid_value');
  t.equal(
    problems({ rails: ['crypto'], crypto: { chains: [], assets: [], maxTransfer: '0' } }),
    'crypto.chains:too_small crypto.assets:too_small crypto.max_transfer:not_positive',
  );
  const runtime = (given: Partial<CreateMandateRequest>, within: Partial<GrantContext> = {}) =>
    readTerms(request({ rails: [], ...given }), grant({ plane: 'runtime', ...within })).rails;
  t.same(runtime({}), ['card']);
  t.same(runtime({ allowedChains: ['base'] }), ['card', 'crypto']);
  t.same(runtime({ allowedCounterparties: ['0xabc'] }), ['card', 'crypto']);
  t.same(runtime({ allowedAssets: ['USDC'] }, { program: cardOnly }), ['card']);
  const cryptoOnly = { ...program, rails: ['crypto'] };
  t.same(runtime({ allowedChains: ['base'] }, { program: cryptoOnly }), ['crypto']);
  const nothingLeft = problems({ rails: [] }, { plane: 'runtime', program: cryptoOnly });
  t.equal(nothingLeft, 'allowed_chains:rail_not_enabled');
  t.same(runtime({}, { program: null }), ['card'], 'card if there is no program');
});

test('lists are sets of NFC text, and list at most 500 merchants', async (t) => {
  const terms = readTerms(
    request({ allowedMerchants: ['cafe\u0301', 'caf\u00e9', 'b'], allowedMccs: ['2', '1', '2'] }),
    grant(),
  );
  t.same(terms.allowedMerchants, ['caf\u00e9', 'b']);
  t.same(terms.allowedMccs, ['2', '1'], 'in the order they were given');
  const many = Array.from({ length: 501 }, (_, i) => `m${i}`);
  t.equal(problems({ blockedMerchants: many }), 'blocked_merchants:too_big');
  t.equal(problems({ blockedMerchants: many.slice(1) }), 'holds');
});

test('a mandate is EXPIRED from its end on', async (t) => {
  const record = { status: 'ACTIVE', validUntil: new Date(nowMs) } as Parameters<
    typeof mandateStatus
  >[0];
  t.equal(mandateStatus(record, nowMs - 1), 'ACTIVE');
  t.equal(mandateStatus(record, nowMs), 'EXPIRED');
  t.equal(mandateStatus({ ...record, status: 'REVOKED' }, nowMs), 'REVOKED');
});

import { newId } from '@countersign/kernel/id';
import { testUrl } from '@countersign/runtime/testing';
import { Client } from 'pg';
import root, { test } from 'tap';
import { programRequest } from './fixtures.js';
import { refusalOf, startIdentity } from './harness.js';

const running = await startIdentity(root);
const { call } = running;
const clientId = newId('client');

test('a program has the documented defaults, and creation is idempotent by id', async (t) => {
  const request = programRequest(clientId, { rails: ['crypto', 'card', 'card'] });
  const program = await call.CreateProgram(request);
  t.match(program, {
    clientId,
    status: 'ACTIVE',
    rails: ['card', 'crypto'],
    verificationMode: 'any',
    defaultCurrency: 'USD',
    fraudTriageEnabled: false,
    metadataJson: '{}',
    version: 1,
  });
  t.same(await call.CreateProgram(request), program);
  const paused = await call.CreateProgram(programRequest(clientId, { status: 'PAUSED' }));
  t.equal(paused.status, 'PAUSED', 'a status that is given is kept');
  t.equal(
    await refusalOf(call.CreateProgram({ ...request, clientId: newId('client') })),
    'conflict CONFLICT',
  );
});

test('fields are validated, ceilings by the decimals of the currency', async (t) => {
  const wrong = programRequest(clientId, {
    defaultCurrency: 'JPY',
    limitCeilings: { maxAmountPerTransaction: '10.5', maxDailyAmount: '0' },
  });
  t.equal(
    await refusalOf(call.CreateProgram(wrong)),
    'invalid VALIDATION_ERROR limit_ceilings.max_amount_per_transaction:too_many_decimals ' +
      'limit_ceilings.max_daily_amount:not_positive',
  );
  t.match(await refusalOf(call.CreateProgram(programRequest(clientId, { rails: [] }))), /rails/);
  t.match(
    await refusalOf(call.CreateProgram(programRequest(clientId, { rails: ['wire'] }))),
    /rails:invalid_value/,
  );
  t.match(
    await refusalOf(call.CreateProgram(programRequest(clientId, { defaultCurrency: 'XXX' }))),
    /default_currency:invalid_value/,
  );
});

test('another currency has to fit the ceilings that stay', async (t) => {
  const limitCeilings = { maxAmountPerTransaction: '10', maxDailyAmount: '10.50' };
  const { id } = await call.CreateProgram(programRequest(clientId, { limitCeilings }));
  t.equal(
    await refusalOf(call.UpdateProgram({ id, defaultCurrency: 'JPY' })),
    'invalid VALIDATION_ERROR limit_ceilings.max_daily_amount:too_many_decimals',
  );
  const whole = { maxDailyAmount: '1050' };
  const inYen = await call.UpdateProgram({ id, defaultCurrency: 'JPY', limitCeilings: whole });
  t.match(inYen, { defaultCurrency: 'JPY', limitCeilings: whole });
  t.match(await call.UpdateProgram({ id, defaultCurrency: 'USD' }), { defaultCurrency: 'USD' });
});

test('an update changes the given fields, increments the version and keeps the rest', async (t) => {
  const { id } = await call.CreateProgram(
    programRequest(clientId, {
      limitCeilings: { maxDailyAmount: '50' },
      metadataJson: '{"b":1}',
    }),
  );
  const updated = await call.UpdateProgram({ id, status: 'PAUSED' });
  t.match(updated, { status: 'PAUSED', version: 2, name: 'Spending', metadataJson: '{"b":1}' });
  t.equal(updated.limitCeilings?.maxDailyAmount, '50');
  const lifted = await call.UpdateProgram({ id, limitCeilings: { maxMonthlyAmount: '70.5' } });
  t.equal(lifted.limitCeilings?.maxDailyAmount, undefined);
  t.equal(lifted.limitCeilings?.maxMonthlyAmount, '70.5');
  t.equal(
    await refusalOf(call.UpdateProgram({ id: newId('program'), status: 'PAUSED' })),
    'not_found NOT_FOUND',
  );
  t.equal(
    await refusalOf(call.GetProgram({ id, clientId: newId('client') })),
    'not_found NOT_FOUND',
  );
  t.match(await call.GetProgram({ id, clientId }), { id, version: 3 });
});

test('programs are listed in pages without gaps, newest first', async (t) => {
  const other = newId('client');
  const made: string[] = [];
  for (let i = 0; i < 5; i += 1) {
    made.unshift((await call.CreateProgram(programRequest(other))).id);
  }
  const seen: string[] = [];
  let after: { createdAt: string; id: string } | undefined;
  for (;;) {
    const page = await call.ListPrograms({ clientId: other, page: { limit: 2, after } });
    seen.push(...page.programs.map((program) => program.id));
    after = page.programs.at(-1);
    if (!page.hasMore) break;
  }
  t.same(seen, made);
  const whole = await call.ListPrograms({ clientId: other, page: { limit: 5 } });
  t.match(whole, { programs: { length: 5 }, hasMore: false }, 'a full page may be the last');
});

test('a program of one environment is unknown in the other', async (t) => {
  const program = await running.in('live').CreateProgram(programRequest(clientId));
  t.equal(
    await refusalOf(running.in('sandbox').GetProgram({ id: program.id, clientId })),
    'not_found NOT_FOUND',
  );
});

test('calls fail with 503 while a database is down, and work again afterwards', async (t) => {
  const { id } = await call.CreateProgram(programRequest(clientId));
  const { pool } = running.context.stores.sandbox;
  const { rows } = await pool.query('SELECT current_database() AS name');
  const admin = new Client({ connectionString: testUrl('postgres') });
  await admin.connect();
  t.teardown(() => admin.end());
  await admin.query(`ALTER DATABASE ${rows[0].name} ALLOW_CONNECTIONS false`);
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
    rows[0].name,
  ]);
  const get = (options = {}) => call.GetProgram({ id, clientId }, options);
  t.match(
    await refusalOf(get({ deadlineMs: 1_500 })),
    /^(unavailable|deadline) SERVICE_UNAVAILABLE$/,
  );
  t.match(
    await refusalOf(call.ResolveActingPrincipal({ clientId }, { deadlineMs: 1_500 })),
    /^(unavailable|deadline) SERVICE_UNAVAILABLE$/,
  );
  t.equal(await refusalOf(running.in('live').GetProgram({ id, clientId })), 'not_found NOT_FOUND');
  await admin.query(`ALTER DATABASE ${rows[0].name} ALLOW_CONNECTIONS true`);
  t.equal((await get()).id, id);
});

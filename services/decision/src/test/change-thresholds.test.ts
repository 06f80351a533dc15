import { newId } from '@countersign/kernel/id';
import { until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import root, { test } from 'tap';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { spendingFacts } from './fake-identity.js';
import { faultOf } from './fault-of.js';
import { readObject } from './read-object.js';

const { client, context, identity, stop } = await startDecision();
const { Authorize, GetThresholds, PutThresholds, ResetThresholds } = client.call;
root.teardown(stop);

function newTenant() {
  return { clientId: 'cli_1', principalId: newId('principal') };
}

test('thresholds: resolved, overridden and default values, by public name', async (t) => {
  const tenant = newTenant();
  const changesJson = JSON.stringify({
    cts_red_threshold: 0.25,
    step_up_amount_threshold: '50.00',
    risk_score_step_up: 0.6,
  });
  const put = await PutThresholds({ tenant, changesJson }, callOptions);
  t.strictSame(put.fieldsChanged, ['cts_red_threshold', 'step_up_amount_threshold']);
  const now = await GetThresholds({ tenant }, callOptions);
  t.has(readObject(now.resolvedJson), {
    cts_red_threshold: 0.25,
    step_up_amount_threshold: '50.00',
  });
  t.strictSame(readObject(now.overridesJson), JSON.parse(changesJson));
  t.match(readObject(now.defaultsJson), { cts_red_threshold: 0.2, step_up_amount_threshold: null });
  t.strictSame(put.thresholds, now);
  const reset = await ResetThresholds({ tenant }, callOptions);
  t.strictSame(readObject(reset.overridesJson), {});
  t.strictSame(await GetThresholds({ tenant }, callOptions), reset);
});

test('thresholds: a call that names no Principal changes none', async (t) => {
  const changesJson = '{"risk_score_step_up":0.6}';
  for (const tenant of [null, { clientId: 'cli_1', principalId: '' }]) {
    t.equal((await faultOf(PutThresholds({ tenant, changesJson }, callOptions))).kind, 'internal');
    t.equal((await faultOf(ResetThresholds({ tenant }, callOptions))).kind, 'internal');
  }
  const { pool } = context.stores[callOptions.environment];
  const { rows } = await pool.query("SELECT FROM threshold_override WHERE principal_id = ''");
  t.equal(rows.length, 0);
});

test('thresholds: a change is applied completely or not at all', async (t) => {
  const tenant = newTenant();
  const changesJson = '{"velocity_burst_count": 20, "cts_red_threshold": 0.9, "nonsense": 1}';
  const fault = await faultOf(PutThresholds({ tenant, changesJson }, callOptions));
  t.match(fault, { kind: 'invalid', code: 'VALIDATION_ERROR' });
  t.strictSame(readObject((await GetThresholds({ tenant }, callOptions)).overridesJson), {});
  const empty = await faultOf(PutThresholds({ tenant, changesJson: '{}' }, callOptions));
  t.match(empty, { kind: 'malformed', code: 'BAD_REQUEST' });
});

test('thresholds: concurrent changes that conflict are never both applied', async (t) => {
  const tenant = newTenant();
  const puts = Array.from({ length: 6 }, (_, index) => [
    PutThresholds({ tenant, changesJson: '{"cts_amber_threshold": 0.3}' }, callOptions),
    PutThresholds({ tenant, changesJson: `{"cts_red_threshold": 0.3${index}}` }, callOptions),
  ]);
  await Promise.allSettled(puts.flat());
  const { resolvedJson } = await GetThresholds({ tenant }, callOptions);
  const { cts_red_threshold: red, cts_amber_threshold: amber } = readObject(resolvedJson);
  t.ok(Number(red) < Number(amber), `${red} < ${amber}`);
});

test('thresholds: many concurrent changes are all applied', async (t) => {
  const tenant = newTenant();
  const { defaultsJson } = await GetThresholds({ tenant }, callOptions);
  const names = Object.keys(readObject(defaultsJson)).filter((name) =>
    /_(count|seconds)$/.test(name),
  );
  t.ok(names.length > 1);
  const changes = Array.from({ length: 40 }, (_, n) => names[n % names.length] ?? '');
  await Promise.all(
    changes.map((name) => PutThresholds({ tenant, changesJson: `{"${name}": 20}` }, callOptions)),
  );
  const { overridesJson } = await GetThresholds({ tenant }, callOptions);
  t.strictSame(Object.keys(readObject(overridesJson)).sort(), names.sort());
});

test('thresholds: changes that wait leave the connections to others', async (t) => {
  const tenant = newTenant();
  const other = await context.stores[callOptions.environment].pool.connect();
  t.teardown(() => other.release());
  await other.query('BEGIN');
  await other.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 2))', [tenant.principalId]);
  const waiting = () => waitingForLocks(other, '%pg_advisory_xact_lock%');
  const changesJson = '{"velocity_burst_count": 20}';
  const changes = Array.from({ length: 40 }, () =>
    PutThresholds({ tenant, changesJson }, callOptions),
  );
  await until(async () => (await waiting()) > 0, { what: 'a change that waits' });
  await GetThresholds({ tenant: newTenant() }, callOptions);
  t.ok((await waiting()) <= 1, 'one connection at most');
  await other.query('COMMIT');
  await Promise.allSettled(changes);
});

test('thresholds: a change that meets a reset brings nothing back', async (t) => {
  const tenant = newTenant();
  await PutThresholds({ tenant, changesJson: '{"velocity_burst_count": 20}' }, callOptions);
  const { pool } = context.stores[callOptions.environment];
  const resetting = await pool.connect();
  await resetting.query('BEGIN');
  await resetting.query(
    `UPDATE threshold_override SET overrides = '{}', version = version + 1
     WHERE principal_id = $1`,
    [tenant.principalId],
  );
  const changesJson = '{"cts_red_threshold": 0.25}';
  const changing = PutThresholds({ tenant, changesJson }, callOptions);
  await until(async () => (await waitingForLocks(pool)) > 0, { what: 'the change to wait' });
  await resetting.query('COMMIT');
  resetting.release();
  await changing;
  const { overridesJson } = await GetThresholds({ tenant }, callOptions);
  t.strictSame(readObject(overridesJson), { cts_red_threshold: 0.25 });
});

test('thresholds: a change after one that its database lost is not taken for that', async (t) => {
  const ids = newAgentIds();
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  identity.answers = [spendingFacts(ids)];
  const { pool } = context.stores[callOptions.environment];
  const decisionWith = async (changesJson: string) => {
    await PutThresholds({ tenant, changesJson }, callOptions);
    const { answer } = await Authorize(authorizeRequest(ids), callOptions);
    return readObject(answer).decision;
  };
  t.equal(await decisionWith('{"step_up_amount_threshold": "20.00"}'), 'APPROVE');
  const row = 'SELECT overrides, version FROM threshold_override WHERE principal_id = $1';
  const [standby] = (await pool.query(row, [tenant.principalId])).rows;
  t.equal(await decisionWith('{"step_up_amount_threshold": "10.00"}'), 'STEP_UP');
  await pool.query(
    'UPDATE threshold_override SET overrides = $2, version = $3 WHERE principal_id = $1',
    [tenant.principalId, standby.overrides, standby.version],
  );
  t.equal(await decisionWith('{"step_up_amount_threshold": "30.00"}'), 'APPROVE');
});

test('thresholds: they apply to one Principal, in one environment', async (t) => {
  const ids = newAgentIds();
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  const changesJson = '{"step_up_amount_threshold": "10.00"}';
  await PutThresholds({ tenant, changesJson }, callOptions);
  identity.answers = [spendingFacts(ids)];
  t.match(readObject((await Authorize(authorizeRequest(ids), callOptions)).answer), {
    decision: 'STEP_UP',
    reason_codes: ['AMOUNT_STEP_UP'],
  });
  const inSandbox = { ...callOptions, environment: 'sandbox' } as const;
  t.strictSame(readObject((await GetThresholds({ tenant }, inSandbox)).overridesJson), {});
  t.strictSame(
    readObject((await GetThresholds({ tenant: newTenant() }, callOptions)).overridesJson),
    {},
  );
  t.match(readObject((await Authorize(authorizeRequest(ids), inSandbox)).answer), {
    decision: 'APPROVE',
  });
});

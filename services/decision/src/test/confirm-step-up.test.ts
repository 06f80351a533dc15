import { newId } from '@countersign/kernel/id';
import root, { test } from 'tap';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { type AgentPatch, spendingFacts } from './fake-identity.js';
import { faultOf } from './fault-of.js';
import { readObject } from './read-object.js';

const { client, identity, ledger, stop } = await startDecision();
const { Authorize, ConfirmStepUp, PutThresholds, ResetThresholds } = client.call;
root.teardown(stop);

async function openChallenge() {
  const ids = newAgentIds();
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  await PutThresholds({ tenant, changesJson: '{"step_up_amount_threshold": "5.00"}' }, callOptions);
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids);
  await Authorize(request, callOptions);
  const authorizationId = request.authorizationId ?? '';
  const confirmedBy = ids.principalId;
  return { ids, confirm: { tenant, authorizationId, confirmedBy } };
}

test('a confirmation is judged again and reserved with the versions seen', async (t) => {
  const { ids, confirm } = await openChallenge();
  ledger.confirmOutcome = { outcome: 'confirmed', confirmedAt: '2026-11-21T12:00:00.000Z' };
  identity.answers = [spendingFacts(ids, { agent: { version: 7 } })];
  t.strictSame(await ConfirmStepUp(confirm, callOptions), {
    confirmedBy: ids.principalId,
    confirmedAt: '2026-11-21T12:00:00.000Z',
  });
  t.match(ledger.confirmations.at(-1)?.seen, [{ entityId: ids.agentId, version: 7 }]);
});

test('a confirmation that a fence refuses is judged again by newer facts', async (t) => {
  const { ids, confirm } = await openChallenge();
  const before = ledger.confirmations.length;
  const usual = ledger.confirmOutcome;
  t.teardown(() => {
    ledger.confirmOutcome = usual;
  });
  ledger.confirmOutcome = { outcome: 'stale' };
  identity.answers = [
    spendingFacts(ids, { mandate: { version: 1 } }),
    spendingFacts(ids, { mandate: { version: 2 } }),
    spendingFacts(ids, { mandate: { version: 3, maxAmountPerTransaction: '9.99' } }),
  ];
  const fault = await faultOf(ConfirmStepUp(confirm, callOptions));
  t.match(fault, { kind: 'malformed', code: 'STEP_UP_REQUIRED' });
  t.match(fault.message, 'AMOUNT_EXCEEDS_PER_TXN');
  const seen = ledger.confirmations.slice(before).map((each) => each.seen);
  t.same(
    seen.map((each) => each.find(({ entityId }) => entityId === ids.mandateId)?.version),
    [1, 2],
    'the third was not asked for',
  );
});

test('a refusal that no human can override stays, without a call to the ledger', async (t) => {
  const { ids, confirm } = await openChallenge();
  const before = ledger.confirmations.length;
  const refusals: Array<[patch: AgentPatch, code: string]> = [
    [{ agent: { status: 'SUSPENDED' } }, 'AGENT_SUSPENDED'],
    [{ principal: { verificationStatus: 'EXPIRED' } }, 'PRINCIPAL_NOT_VERIFIED'],
    [{ program: { status: 'PAUSED' } }, 'PROGRAM_SUSPENDED'],
    [{ mandate: { id: newId('mandate') } }, 'NO_ACTIVE_MANDATE'],
    [{ mandate: { validUntil: '2026-02-01T00:00:00.000Z' } }, 'NO_ACTIVE_MANDATE'],
    [{ mandate: { maxAmountPerTransaction: '1.00' } }, 'AMOUNT_EXCEEDS_PER_TXN'],
  ];
  for (const [patch, code] of refusals) {
    identity.answers = [spendingFacts(ids, patch)];
    const fault = await faultOf(ConfirmStepUp(confirm, callOptions));
    t.match(fault, { kind: 'malformed', code: 'STEP_UP_REQUIRED' }, code);
    t.match(fault.message, code);
  }
  t.equal(ledger.confirmations.length, before);
});

test('a challenge cannot be confirmed with a mandate that has been replaced', async (t) => {
  const { ids, confirm } = await openChallenge();
  const before = ledger.confirmations.length;
  const facts = spendingFacts(ids);
  const newer = { ...facts.mandates?.[0], id: newId('mandate') };
  const afterwards: Array<[what: string, mandates: object[]]> = [
    ['a newer one beside it', [newer, ...(facts.mandates ?? [])]],
    ['revoked, with another left', [newer]],
  ];
  for (const [what, mandates] of afterwards) {
    identity.answers = [{ ...facts, mandates }];
    const fault = await faultOf(ConfirmStepUp(confirm, callOptions));
    t.match(fault, { kind: 'malformed', code: 'STEP_UP_REQUIRED' }, what);
    t.match(fault.message, `NO_ACTIVE_MANDATE: The mandate ${ids.mandateId}`, what);
    t.match(fault.message, newer.id, what);
  }
  identity.answers = [
    { ...facts, agent: { ...facts.agent, status: 'SUSPENDED' }, mandates: [newer] },
  ];
  t.match((await faultOf(ConfirmStepUp(confirm, callOptions))).message, 'AGENT_SUSPENDED');
  t.equal(ledger.confirmations.length, before, 'without a call to the ledger');
  for (const other of [
    { ...newer, rails: ['crypto'] },
    { ...newer, validFrom: '2099-01-01T00:00:00.000Z' },
  ]) {
    identity.answers = [{ ...facts, mandates: [other, ...(facts.mandates ?? [])] }];
    await ConfirmStepUp(confirm, callOptions);
  }
  t.equal(
    ledger.confirmations.length,
    before + 2,
    'another rail, or a later time, replaces nothing',
  );
});

test('what was approved at once has no challenge to confirm', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids);
  await Authorize(request, callOptions);
  const confirmation = {
    tenant: { clientId: 'cli_1', principalId: ids.principalId },
    authorizationId: request.authorizationId ?? '',
    confirmedBy: ids.principalId,
  };
  t.match(await faultOf(ConfirmStepUp(confirmation, callOptions)), {
    code: 'STEP_UP_REQUIRED',
    message: 'The step-up cannot be confirmed: the authorization asked for none.',
  });
});

test("the ledger's result for a challenge is passed on unchanged", async (t) => {
  const { ids, confirm } = await openChallenge();
  identity.answers = [spendingFacts(ids)];
  const outcomes: Array<[outcome: string, words: RegExp]> = [
    ['limits_differ', /DAILY_AMOUNT_EXCEEDED/],
    ['expired', /expired/],
    ['already_answered', /already answered/],
  ];
  for (const [outcome, words] of outcomes) {
    ledger.confirmOutcome = { outcome, limitCodes: ['DAILY_AMOUNT_EXCEEDED'] };
    const fault = await faultOf(ConfirmStepUp(confirm, callOptions));
    t.match(fault, { kind: 'malformed', code: 'STEP_UP_REQUIRED' }, outcome);
    t.match(fault.message, words);
  }
  ledger.confirmOutcome = { outcome: 'stale' };
  t.equal((await faultOf(ConfirmStepUp(confirm, callOptions))).kind, 'unavailable');
  for (const [status, words] of [
    ['EXPIRED', /expired/],
    ['CONFIRMED', /already answered/],
    ['DENIED', /already answered/],
  ] as const) {
    ledger.stepUpStatus = status;
    const fault = await faultOf(ConfirmStepUp(confirm, callOptions));
    t.match(fault, { code: 'STEP_UP_REQUIRED' }, status);
    t.match(fault.message, words, status);
  }
  ledger.stepUpStatus = 'PENDING';
});

test('a confirmation over a limit is told what remains, as a decline is', async (t) => {
  const { ids, confirm } = await openChallenge();
  const usual = ledger.confirmOutcome;
  t.teardown(() => {
    ledger.confirmOutcome = usual;
  });
  identity.answers = [
    spendingFacts(ids, { mandate: { maxDailyAmount: '200.00', maxDailyCount: 2 } }),
  ];
  ledger.use(ids.mandateId, '195.50', 2);
  const limitCodes = ['DAILY_AMOUNT_EXCEEDED', 'DAILY_COUNT_EXCEEDED'];
  ledger.confirmOutcome = { outcome: 'limits_differ', limitCodes };
  const refused = await faultOf(ConfirmStepUp(confirm, callOptions));
  t.match(refused, { kind: 'malformed', code: 'STEP_UP_REQUIRED' });
  await ResetThresholds({ tenant: confirm.tenant }, callOptions);
  const request = authorizeRequest(ids);
  await Authorize(request, callOptions);
  const { answer = '' } = ledger.records.get(request.authorizationId ?? '') ?? {};
  const { reason_detail: detail } = readObject(answer);
  t.match(
    detail,
    /the remaining 4.50 USD of the daily limit of 200.00 USD, .* 00:00 UTC; .* a day/,
  );
  t.equal(
    refused.message,
    `The step-up cannot be confirmed: ${limitCodes.join(', ')}: ${detail}`,
    'an agent that asks for the same payment reads the same',
  );
});

test('only a challenge can be confirmed', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids);
  await Authorize(request, callOptions);
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  const confirm = { tenant, confirmedBy: ids.principalId };
  const { authorizationId } = request;
  const approved = await faultOf(ConfirmStepUp({ ...confirm, authorizationId }, callOptions));
  t.match(approved, { kind: 'malformed', code: 'STEP_UP_REQUIRED' });
  const unknown = { ...confirm, authorizationId: newId('authorization') };
  t.equal((await faultOf(ConfirmStepUp(unknown, callOptions))).kind, 'not_found');
});

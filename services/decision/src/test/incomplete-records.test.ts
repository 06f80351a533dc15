import { canonicalHash } from '@countersign/kernel/canonical';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Logger } from '@countersign/runtime/log';
import root, { test } from 'tap';
import { previewThresholds } from '../handlers/preview-thresholds.js';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { type AgentIds, spendingFacts } from './fake-identity.js';
import { faultOf } from './fault-of.js';

const { client, context, identity, ledger, stop } = await startDecision();
const { Authorize, ConfirmStepUp, ExplainAuthorization, PutThresholds } = client.call;
root.teardown(stop);

async function pay(ids: AgentIds): Promise<string> {
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids, { amount: '10.00' });
  await Authorize(request, callOptions);
  return request.authorizationId ?? '';
}

function tenantOf({ principalId }: AgentIds) {
  return { clientId: 'cli_1', principalId };
}

test('a record without its basis is shown as far as it goes, and not as intact', async (t) => {
  const ids = newAgentIds();
  const authorizationId = await pay(ids);
  const { inputHash } = ledger.lastProposal();
  ledger.bases.forget();
  const asked = { tenant: tenantOf(ids), authorizationId };
  const { explanationJson } = await ExplainAuthorization(asked, callOptions);
  const explanation = JSON.parse(explanationJson);
  t.has(explanation, {
    decision: 'APPROVE',
    input_hash: inputHash,
    judged: true,
    facts_intact: false,
    reproduced: false,
    scores: { zone: 'AMBER' },
    inputs: { payment: { amount: '10.00', intent_context: { task_reference: 'task-1' } } },
  });
  t.same(explanation.rules, []);
  t.notOk('agent' in explanation.inputs);
});

test('a challenge without its basis is not confirmed, and the reason is told', async (t) => {
  const ids = newAgentIds();
  const changesJson = JSON.stringify({ step_up_amount_threshold: '10.00' });
  await PutThresholds({ tenant: tenantOf(ids), changesJson }, callOptions);
  const authorizationId = await pay(ids);
  t.equal(ledger.lastProposal().decision, 'STEP_UP');
  ledger.bases.forget();
  const confirm = { tenant: tenantOf(ids), authorizationId, confirmedBy: ids.principalId };
  const { message } = await faultOf(ConfirmStepUp(confirm, callOptions));
  t.match(message, /a part of its record is missing from the ledger's database/);
});

test('a preview does not count records without their bases, and logs them once', async (t) => {
  const ids = newAgentIds();
  const lost = [await pay(ids), await pay(ids)];
  ledger.bases.forget();
  const said: object[] = [];
  const { considered } = await previewThresholds(context)(previewOf(ids), callWith(said));
  t.equal(considered, 0);
  t.same(said, [{ authorizationId: lost[1], records: 2 }]);
});

function previewOf(ids: AgentIds) {
  const changesJson = JSON.stringify({ step_up_amount_threshold: '30.00' });
  return { tenant: tenantOf(ids), agentId: ids.agentId, limit: 10, changesJson };
}

/** A call that keeps what is logged as errors. */
function callWith(said: object[]): Call {
  const log = { error: (about: object) => said.push(about) } as unknown as Logger;
  return { environment: 'live', requestId: 'req_1', log, deadlineAt: Date.now() + 20_000 };
}

/** Texts that stand in place of what was recorded, and what an explanation shows of them. */
const edited = {
  'other facts': [
    '{"facts":{"model":"facts-4","typeCounts":{"SETTLED":1},"all":[{"oneOf":2}]},"scores":[]}',
    { model: 'facts-4', type_counts: { SETTLED: 1 }, all: [{ one_of: 2 }] },
  ],
  'a list in place of facts': ['{"facts":[1],"scores":null}', {}],
  'no JSON': ['{"facts":', {}],
} as const;

test('facts that were changed beyond reading are shown as changed', async (t) => {
  for (const [what, [factsJson, inputs]] of Object.entries(edited)) {
    const ids = newAgentIds();
    const authorizationId = await pay(ids);
    Object.assign(ledger.records.get(authorizationId)?.request ?? {}, { factsJson });
    const asked = { tenant: tenantOf(ids), authorizationId };
    const { explanationJson } = await ExplainAuthorization(asked, callOptions);
    const shown = { judged: true, facts_intact: false, reproduced: false, rules: [], scores: null };
    t.has(JSON.parse(explanationJson), { decision: 'APPROVE', ...shown, inputs }, what);
  }
});

test('a record of a later release is not judged, nor called changed', async (t) => {
  const ids = newAgentIds();
  const authorizationId = await pay(ids);
  const factsJson = '{"facts":{"model":"facts-9"},"scores":[]}';
  Object.assign(ledger.records.get(authorizationId)?.request ?? {}, { factsJson });
  const asked = { tenant: tenantOf(ids), authorizationId };
  const explanation = JSON.parse((await ExplainAuthorization(asked, callOptions)).explanationJson);
  t.has(explanation, { decision: 'APPROVE', judged: false, rules: [], scores: null });
  t.notOk('facts_intact' in explanation);
});

test('a record that is intact and cannot be evaluated is not called changed', async (t) => {
  const ids = newAgentIds();
  const authorizationId = await pay(ids);
  const facts = { model: 'facts-1' };
  Object.assign(ledger.records.get(authorizationId)?.request ?? {}, {
    factsJson: JSON.stringify({ facts, scores: null }),
    inputHash: `sha256:${canonicalHash(facts)}`,
  });
  const asked = { tenant: tenantOf(ids), authorizationId };
  t.match(await faultOf(ExplainAuthorization(asked, callOptions)), { kind: 'internal' });
});

test('a preview leaves out what was changed beyond reading', async (t) => {
  const ids = newAgentIds();
  const [changed] = [await pay(ids), await pay(ids)];
  const [factsJson] = edited['other facts'];
  Object.assign(ledger.records.get(changed)?.request ?? {}, { factsJson });
  const said: object[] = [];
  const { considered } = await previewThresholds(context)(previewOf(ids), callWith(said));
  t.equal(considered, 1);
  t.match(said, [{ authorizationId: changed, records: 1, err: TypeError }]);
});

test('a challenge whose record was changed is not confirmed', async (t) => {
  const ids = newAgentIds();
  const changesJson = JSON.stringify({ step_up_amount_threshold: '10.00' });
  await PutThresholds({ tenant: tenantOf(ids), changesJson }, callOptions);
  const authorizationId = await pay(ids);
  const { request } = ledger.records.get(authorizationId) ?? {};
  const factsJson = request?.factsJson.replace('"10.00"', '"10.01"');
  t.not(factsJson, request?.factsJson);
  Object.assign(request ?? {}, { factsJson });
  const confirm = { tenant: tenantOf(ids), authorizationId, confirmedBy: ids.principalId };
  const { message } = await faultOf(ConfirmStepUp(confirm, callOptions));
  t.match(message, /its record was changed since/);
});

test('an answer that was changed beyond reading leaves the rest explained', async (t) => {
  const ids = newAgentIds();
  const authorizationId = await pay(ids);
  Object.assign(ledger.records.get(authorizationId) ?? {}, { answer: '{}' });
  const asked = { tenant: tenantOf(ids), authorizationId };
  const { explanationJson } = await ExplainAuthorization(asked, callOptions);
  const left = { reason_detail: '', counters: null, facts_intact: true, reproduced: true };
  t.has(JSON.parse(explanationJson), left);
});

test('scores that were changed beyond reading are not reproduced', async (t) => {
  const ids = newAgentIds();
  const authorizationId = await pay(ids);
  const { request } = ledger.records.get(authorizationId) ?? {};
  const { facts } = JSON.parse(request?.factsJson ?? '');
  for (const scores of [[], [null, 'AMBER', 1, 2], undefined]) {
    Object.assign(request ?? {}, { factsJson: JSON.stringify({ facts, scores }) });
    const asked = { tenant: tenantOf(ids), authorizationId };
    const { explanationJson } = await ExplainAuthorization(asked, callOptions);
    t.has(JSON.parse(explanationJson), { facts_intact: true, reproduced: false, scores: null });
  }
});

/** What every event says about its origin, whatever it is about. */
import type { BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { type PackedEvent, unpackedEvent } from '@countersign/kernel/packed-event';
import type { CommitRequest } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Trace } from '@countersign/runtime/trace';
import { t as file, test } from 'tap';
import { publishExpiredStepUps } from '../expired-step-ups.js';
import { asChallenge } from './challenge.js';
import { callOf, createWorld, newSpender, proposalOf } from './fixture.js';
import { withPackedEvent } from './packed-event.js';

const environment = 'sandbox';
const world = await createWorld(file);
const now = Date.now();
const ledger = await world.start({ clock: () => now });
const { handlers } = ledger;
const { pool } = ledger.context.stores[environment];

const decidedAt = new Date(now - 1_000).toISOString();
const amendedAt = new Date(now).toISOString();
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const span = { set: () => {}, fail: () => {}, end: () => {} };
const trace = { carrier: { traceparent }, child: () => span } as unknown as Trace;
const untraced = { ...callOf(ledger, environment), requestId: 'req_untraced' };
/** A caller chooses the id of its request, so that it may have what a template would take apart. */
const traced = { ...untraced, requestId: 'req"50%s\\%1$s', trace };

function proposed(given: Partial<CommitRequest>): CommitRequest {
  return proposalOf(newSpender(), { decidedAt, ...given });
}

async function committed(given: Partial<CommitRequest> = {}, call: Call = untraced) {
  const proposal = proposed(given);
  await handlers.Commit(proposal, call);
  return proposal;
}

function whichOf({ authorizationId, clientId, principalId }: CommitRequest) {
  return { tenant: { clientId, principalId }, authorizationId };
}

async function eventsOf({ principalId }: CommitRequest): Promise<BusEvent[]> {
  const { rows } = await pool.query<{ payload: string }>(
    `SELECT payload FROM outbox WHERE payload LIKE '%' || $1 || '%' ORDER BY seq`,
    [principalId],
  );
  const events = rows.map(({ payload }) => JSON.parse(payload) as BusEvent | PackedEvent);
  return events.map((event) => (Array.isArray(event) ? unpackedEvent(event, environment) : event));
}

const failSafe = { decision: 'DECLINE', reasonCodes: ['SYSTEM_FAIL_SAFE'], answerGiven: true };

/** The current decision once something was appended, of which the last event tells. */
const decisions: Readonly<Record<string, string>> = {
  STEP_UP_CONFIRMED: 'APPROVE',
  STEP_UP_DENIED: 'DECLINE',
  REVERSED: 'APPROVE',
  VOIDED: 'DECLINE',
};

const changes: Record<string, (of: CommitRequest, call: Call) => Promise<unknown>> = {
  STEP_UP_CONFIRMED: (of, call) =>
    handlers.ConfirmStepUp({ ...whichOf(of), confirmedBy: 'prn_test' }, call),
  STEP_UP_DENIED: (of, call) => handlers.DenyStepUp({ ...whichOf(of), deniedBy: 'prn_test' }, call),
  'STEP_UP_DENIED by a revocation': ({ agentId = '' }, call) =>
    handlers.Fence({ entities: [], revokedAgentIds: [agentId] }, call),
  REVERSED: async (of, call) => {
    await handlers.ConfirmStepUp({ ...whichOf(of), confirmedBy: 'prn_test' }, untraced);
    await handlers.Reverse({ ...whichOf(of), requestedBy: 'prn_test' }, call);
  },
  VOIDED: ({ mandateId: _mandate, limits: _limits, stepUpExpiresAt: _expiry, ...of }, call) =>
    handlers.Commit({ ...of, ...failSafe }, call),
};

function outcomeOf({ authorizationId }: CommitRequest) {
  const report = { outcomeId: newId('outcome'), outcomeType: 'SETTLED', reportedBy: 'ISSUER' };
  return { ...report, authorizationId, reportedAt: decidedAt };
}

for (const call of [traced, untraced]) {
  const origin = (type: string, { clientId, principalId }: CommitRequest, occurredAt: string) => ({
    id: /^evt_[0-9a-z]{26}$/,
    ...{ type, environment, clientId, principalId, occurredAt },
    requestId: call.requestId,
    trace: call === traced ? { traceparent } : undefined,
  });

  test(`the events of ${call.requestId} have their origin`, async (t) => {
    for (const proposal of [proposed({}), withPackedEvent(proposed({}))]) {
      await handlers.Commit(proposal, call);
      t.match(await eventsOf(proposal), [origin('authorization.recorded', proposal, decidedAt)]);
    }
    for (const [name, change] of Object.entries(changes)) {
      const proposal = await committed(asChallenge());
      await change(proposal, call);
      const { agentId, authorizationId, currency } = proposal;
      const events = await eventsOf(proposal);
      const amended = events.filter(({ type }) => type === 'authorization.amended');
      const [amendment = ''] = name.split(' ');
      const said = { amendment, decision: decisions[amendment], amount: '10.00', currency };
      const last = amended.at(-1);
      t.match(last, origin('authorization.amended', proposal, amendedAt), name);
      t.has(last?.data, { authorizationId, agentId, ...said });
      if (name !== 'VOIDED') continue;
      t.match(events.at(-1), origin('authorization.recorded', proposal, decidedAt), 'its answer');
    }
    const reported = await committed();
    for (const [index, settledAt] of [decidedAt, amendedAt].entries()) {
      const report = { ...outcomeOf(reported), settledAt };
      const { tenant, authorizationId } = whichOf(reported);
      const request = { tenant, reports: [report] };
      const { results } = await handlers.RecordOutcomes(request, call);
      const told = (await eventsOf(reported)).at(-1);
      t.match(told, origin('outcome.recorded', reported, amendedAt));
      t.strictSame(told?.data, {
        outcomeId: results[0]?.outcome?.id,
        ...{ authorizationId, agentId: reported.agentId, outcomeType: report.outcomeType },
        ...{ reportedAt: report.reportedAt, reportedBy: report.reportedBy, updated: index > 0 },
      });
    }
  });
}

test('no request is the cause of an expiry, which occurred when the time was up', async (t) => {
  const stepUpExpiresAt = new Date(now - 500).toISOString();
  const proposal = await committed({ ...asChallenge(), stepUpExpiresAt }, traced);
  await publishExpiredStepUps({ environment, pool });
  const { clientId, principalId, authorizationId, agentId, currency } = proposal;
  const data = { authorizationId, agentId, amendment: 'STEP_UP_EXPIRED', decision: 'STEP_UP' };
  const event = (await eventsOf(proposal)).at(-1);
  t.strictSame(event, {
    id: event?.id,
    type: 'authorization.amended',
    ...{ environment, principalId, clientId, requestId: null, occurredAt: stepUpExpiresAt },
    data: { ...data, amount: '10.00', currency },
  });
});

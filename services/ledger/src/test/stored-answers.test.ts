import { type AnswerFields, answerText, markedCounters } from '@countersign/kernel/answer';
import { answerMarkers } from '@countersign/kernel/answer-marker';
import { attestationHeader, issuerOf } from '@countersign/kernel/attestation';
import { encodedClaims } from '@countersign/kernel/decision-claims';
import { newId } from '@countersign/kernel/id';
import { countedIn, packedAnswer } from '@countersign/kernel/packed-answer';
import { type Signed, signedAs } from '@countersign/kernel/packed-attestation';
import type { CommitRequest } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
import { t as file, test } from 'tap';
import { invalidProposal } from '../commit/proposal.js';
import { callOf, createWorld, newSpender, proposalOf } from './fixture.js';

const world = await createWorld(file);
const ledger = await world.start();
const { handlers } = ledger;
const call = callOf(ledger);
const spender = newSpender();
const tenant = { clientId: spender.clientId, principalId: spender.principalId };
const baseUrl = 'https://pay.example';

type Given = Partial<CommitRequest>;

/** Everything that an answer takes from a column, in values that are easily spelled differently. */
function requestOf(given: Given): CommitRequest {
  return proposalOf(spender, {
    idempotencyKey: newId('event'),
    correlationKey: 'ordre "é" 50 %',
    mandateHash: 'sha256:1',
    merchantId: 'm\n1',
    mcc: '5411',
    kyaScore: 0.1 + 0.2,
    riskScore: 5e-7,
    processingTimeMs: 1e21,
    ...given,
  });
}

function signedBy(request: CommitRequest): Signed {
  const claimed = {
    issuer: issuerOf(baseUrl, 'live'),
    subject: 'did:key:z1',
    issuedAt: 1_795_572_857,
    expiresAt: 1_795_573_757,
    environment: 'live' as const,
    ...namedIn(request),
    mandateHash: request.mandateHash ?? null,
    principalId: request.principalId,
    rail: request.rail,
    amount: '10.00',
    currency: request.currency,
    merchantId: request.merchantId ?? null,
    mcc: request.mcc ?? null,
    country: request.country ?? null,
    crypto: null,
    intentAnomalyScore: 0.25,
    cognitiveLimitMultiplier: 1,
    viMode: null,
    viReference: null,
    reqHash: 'hash',
  };
  const input = `${attestationHeader('k')}.${encodedClaims(claimed)}`;
  return signedAs(claimed, { kid: 'k', baseUrl, input, signature: 'c2ln' });
}

function namedIn(request: CommitRequest) {
  const { authorizationId, transactionId, correlationKey, reasonCodes, trustLevel } = request;
  const { kyaScore, riskScore, viVerified } = request;
  return {
    ...{ authorizationId, transactionId, correlationKey, reasonCodes, trustLevel },
    ...{ kyaScore, riskScore, viVerified },
    decision: request.decision as AnswerFields['decision'],
    agentId: request.agentId ?? '',
    mandateId: request.mandateId ?? null,
  };
}

/** A proposal as decision sends it, and the answer that it makes of the middle. */
function proposed(given: Given = {}, isSigned = true) {
  const request = requestOf(given);
  const signed = isSigned ? signedBy(request) : null;
  const fields: AnswerFields = {
    ...namedIn(request),
    riskReasonCodes: [],
    conditionCode: 'CLEAN',
    velocityIndicator: false,
    highestSeverity: 'NONE',
    intentContextProvided: true,
    intentAnomalyScore: 0.25,
    intentAnomalyTriggered: false,
    intentAnomalySkipped: false,
    viMode: null,
    cognitiveLimitMultiplier: 1,
    sessionTerminateRecommended: false,
    attestation: signed?.attestation ?? null,
    processingTimeMs: request.processingTimeMs,
  };
  const counted = {
    reasonDetail: `50 % used; ${answerMarkers.dailyAmountRemaining} are left.`,
    counters: markedCounters,
  };
  const { head, middle, tail } = packedAnswer(fields, counted, signed?.packed ?? null);
  return {
    request: { ...request, answerHead: head, answerTemplate: middle, answerTail: tail },
    answerWith: (filled = '') => answerText(fields, countedIn(filled)),
  };
}

function keyOf({ principalId, idempotencyKey = '', bodyHash }: CommitRequest) {
  return { principalId, idempotencyKey, bodyHash };
}

test('a replay has the answer that was sent, however it is asked for', async (t) => {
  const declined = { decision: 'DECLINE', reasonCodes: ['MCC_BLOCKED', 'MERCHANT_BLOCKED'] };
  for (const [given, isSigned] of [
    [{}, true],
    [{}, false],
    [{ ...declined, mandateId: undefined, mandateHash: undefined, country: 'USA' }, true],
  ] as const) {
    const { request, answerWith } = proposed({ ...given } as Given, isSigned);
    const both = [handlers.Commit(request, call), handlers.Commit(request, call)];
    const [first, follower] = await Promise.all(both);
    t.match(first, { outcome: 'recorded', answer: undefined });
    const answer = answerWith(first?.answerMiddle);
    t.match(answer, isSigned ? /"jws":"[\w-]+\.[\w-]+\.c2ln"/ : /"attestation":null/);
    t.strictSame(follower, { ...follower, outcome: 'replayed', answer });
    const again = await handlers.Commit(request, call);
    t.strictSame(again, { ...again, outcome: 'replayed', answer });
    const found = await handlers.FindReplay(keyOf(request), call);
    t.strictSame(found, { ...found, outcome: 'replayed', answer });
    const { authorizationId } = request;
    const entry = await handlers.GetAuthorization({ tenant, authorizationId }, call);
    t.equal(entry.answer, answer);
  }
});

test('a record repeats nothing of itself in its answer', async (t) => {
  const { request } = proposed();
  const { answerMiddle } = await handlers.Commit(request, call);
  const { rows } = await ledger.context.stores.live.pool.query(
    'SELECT answer FROM authorization_record WHERE id = $1',
    [request.authorizationId],
  );
  const { answerHead, answerTail } = request;
  t.strictSame(rows, [{ answer: `${answerHead}${answerMiddle}${answerTail}` }]);
  for (const name of ['authorizationId', 'transactionId', 'principalId', 'mandateHash'] as const) {
    t.notOk(rows[0].answer.includes(request[name]), name);
  }
});

test('the reason of an event has the amounts of the answer', async (t) => {
  const data = { decision: 'APPROVE', reasonDetail: `${answerMarkers.dailyAmountRemaining} left` };
  const { request } = proposed({ eventDataJson: JSON.stringify(data) });
  await handlers.Commit(request, call);
  const { rows } = await ledger.context.stores.live.pool.query(
    "SELECT payload FROM outbox WHERE payload LIKE '%' || $1 || '%'",
    [request.authorizationId.slice('auth_'.length)],
  );
  t.match(rows[0]?.payload, /"data":\{"decision":"APPROVE","reasonDetail":"1\d\d\.00 left"\}/);
});

test('the log shows the JWS of an attestation', async (t) => {
  const { request, answerWith } = proposed();
  const { answerMiddle } = await handlers.Commit(request, call);
  const attestationJson = JSON.stringify(JSON.parse(answerWith(answerMiddle)).attestation);
  const { authorizationId } = request;
  const listed = await handlers.ListAgentAuthorizations(
    { tenant, agentId: spender.agentId, page: { limit: 1 } },
    call,
  );
  t.strictSame(
    listed.entries.map(({ id, attestationJson: shown }) => [id, shown]),
    [[authorizationId, attestationJson]],
  );
});

test('an answer that cannot be restored fails the calls for it alone', async (t) => {
  const unreadable = { answerHead: '[2,[]', answerTemplate: ',0', answerTail: ']' };
  const later = { ...proposed().request, ...unreadable };
  const reason = { message: 'a stored answer has 3 values, not 18' };
  for (const outcome of ['recorded', 'replayed']) {
    const sent = [later, later, proposed().request].map((each) => handlers.Commit(each, call));
    const [first, follower, beside] = await Promise.allSettled(sent);
    if (outcome === 'recorded') t.match(first, { value: { outcome } });
    else t.match(first, { status: 'rejected', reason });
    t.match(follower, { status: 'rejected', reason });
    t.match(beside, { value: { outcome: 'recorded' } }, 'in a batch that is sent once');
  }
  await t.rejects(handlers.FindReplay(keyOf(later), call), reason);
});

test('an answer in a layout of a later release is not recorded', async (t) => {
  const { request } = proposed();
  const later = { ...request, answerHead: request.answerHead.replace('[2,', '[3,') };
  await t.rejects(
    handlers.Commit(later, call),
    invalidProposal('the answer has a layout of a later release'),
  );
  t.match(await handlers.FindReplay(keyOf(later), call), { outcome: 'absent' });
});

test('a record whose answer cannot be read hides no other in a list', async (t) => {
  const unreadable = { answerHead: '[2,[]', answerTemplate: ',"CLEAN', answerTail: '' };
  const changed = { ...proposed().request, ...unreadable };
  const other = proposed().request;
  for (const request of [changed, other]) await handlers.Commit(request, call);
  const errors: Array<{ authorizationId?: string }> = [];
  const log = { error: (about: object) => errors.push(about) } as unknown as Call['log'];
  const asked = { tenant, agentId: spender.agentId, page: { limit: 100 } };
  const { entries } = await handlers.ListAgentAuthorizations(asked, { ...call, log });
  const shown = new Map(entries.map(({ id, ...entry }) => [id, entry]));
  const { authorizationId } = changed;
  t.match(shown.get(authorizationId), { decision: 'APPROVE', attestationJson: undefined });
  t.match(shown.get(other.authorizationId), { decision: 'APPROVE', attestationJson: /"jws"/ });
  const alone = { tenant, authorizationId };
  const entry = await handlers.GetAuthorization(alone, { ...call, log });
  t.match(entry, { decision: 'APPROVE', attestationJson: undefined, answer: '{}' });
  const told = errors.filter((about) => about.authorizationId === authorizationId);
  t.match(told, [{ err: SyntaxError }, { err: SyntaxError }], 'once for each call');
});

test('of the answers that a key got at one moment the same one is always given', async (t) => {
  const { principalId, ...of } = newSpender();
  const requests = ['key-of-one-moment', undefined, undefined].map((idempotencyKey) =>
    proposalOf({ principalId, ...of }, idempotencyKey ? { idempotencyKey } : {}),
  );
  for (const request of requests) await handlers.Commit(request, call);
  const [first = '', second = ''] = requests
    .slice(1)
    .map(({ authorizationId }) => authorizationId)
    .sort();
  for (const id of [second, first]) {
    await ledger.context.stores.live.pool.query(
      `INSERT INTO first_answer (authorization_id, principal_id, idempotency_key, answered_at)
       VALUES ($1, $2, 'key-of-one-moment', '2026-11-21T12:00:00Z')`,
      [id, principalId],
    );
  }
  const asked = { principalId, idempotencyKey: 'key-of-one-moment', bodyHash: 'body' };
  t.match((await handlers.FindReplay(asked, call)).answer, first);
});

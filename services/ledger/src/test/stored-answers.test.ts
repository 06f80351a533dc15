import { newId } from '@countersign/kernel/id';
import { restoredAnswer } from '@countersign/kernel/stored-answer';
import type { CommitRequest } from '@countersign/proto/ledger';
import { t as file, test } from 'tap';
import { callOf, createWorld, newSpender, proposalOf } from './fixture.js';

const world = await createWorld(file);
const ledger = await world.start();
const { handlers } = ledger;
const call = callOf(ledger);
const spender = newSpender();
const tenant = { clientId: spender.clientId, principalId: spender.principalId };

const list = [
  ...[1, 'c2ln', 'https://pay.example', 'did:key:z1', 'live', spender.principalId],
  ...['sha256:1', 'CARD', '10.00', 'USD', null, '5411', 'USA', null, null, 'hash'],
];

/** A proposal as decision sends it: the tail has a list in place of the JWS. */
function attested(): CommitRequest {
  const request = proposalOf(spender, { answerInParts: true, idempotencyKey: newId('event') });
  const { authorizationId } = request;
  return {
    ...request,
    answerHead: `{"authorization_id":"${authorizationId}","reason_detail":"Fine."`,
    answerTemplate: ',"daily_count_used":1',
    answerTail:
      `,"attestation":{"alg":"ES256","typ":"jwt","kid":"k","jws":${JSON.stringify(list)},` +
      '"issued_at":"2026-11-25T02:14:17.000Z","expires_at":"2026-11-25T02:29:17.000Z"}}',
  };
}

test('a replay has the whole answer, however it is asked for', async (t) => {
  const request = attested();
  const { answerHead, answerTemplate, answerTail } = request;
  const stored = `${answerHead}${answerTemplate}${answerTail}`;
  const answer = restoredAnswer(stored);
  t.match(answer, /"jws":"[\w-]+\.[\w-]+\.c2ln"/);

  const [first, follower] = await Promise.all([
    handlers.Commit(request, call),
    handlers.Commit(request, call),
  ]);
  t.match(first, { outcome: 'recorded', answer: undefined, answerMiddle: answerTemplate });
  t.match(follower, { outcome: 'replayed', answer });
  t.match(await handlers.Commit(request, call), { outcome: 'replayed', answer });
  const { principalId, idempotencyKey = '', bodyHash } = request;
  const asked = { principalId, idempotencyKey, bodyHash };
  t.match(await handlers.FindReplay(asked, call), { outcome: 'replayed', answer });

  const { rows } = await ledger.context.stores.live.pool.query(
    'SELECT answer FROM authorization_record WHERE id = $1',
    [request.authorizationId],
  );
  t.strictSame(rows, [{ answer: stored }], 'what is stored does not repeat the claims');
});

test('the log shows the JWS of an attestation', async (t) => {
  const request = attested();
  await handlers.Commit(request, call);
  const { answerHead, answerTemplate, answerTail } = request;
  const answer = restoredAnswer(`${answerHead}${answerTemplate}${answerTail}`);
  const attestationJson = JSON.stringify(JSON.parse(answer).attestation);
  const { authorizationId } = request;
  const entry = await handlers.GetAuthorization({ tenant, authorizationId }, call);
  t.match(entry, { answer, attestationJson });
  const listed = await handlers.ListAgentAuthorizations(
    { tenant, agentId: spender.agentId, page: { limit: 1 } },
    call,
  );
  t.match(listed.entries[0], { id: authorizationId, attestationJson });
});

test('a caller that takes no parts is given the whole answer', async (t) => {
  const request = attested();
  const { answer = '' } = await handlers.Commit({ ...request, answerInParts: false }, call);
  t.match(answer, /"jws":"[\w-]+\.[\w-]+\.c2ln"/);
});

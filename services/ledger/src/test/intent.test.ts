import { failSafeAnswer } from '@countersign/kernel/fail-safe';
import type { CommitRequest, IntentClaim } from '@countersign/proto/ledger';
import { sweep } from '@countersign/runtime/retention';
import { t as file, test } from 'tap';
import { nonceSweeps } from '../retention.js';
import { decisionOf } from './answers.js';
import {
  callOf,
  count,
  createWorld,
  faultOf,
  newSpender,
  proposalOf,
  type Spender,
} from './fixture.js';
import { claimOf, decideIntent, judgedBy, presented as presentedAt } from './intent-fixture.js';

const world = await createWorld(file);
let now = Date.now();
const ledger = await world.start({ clock: () => now });
const { handlers, context } = ledger;
const call = callOf(ledger);
const { pool } = context.stores.live;

function presented(
  spender: Spender,
  claim: IntentClaim | undefined,
  given: Partial<CommitRequest> = {},
): CommitRequest {
  return presentedAt(spender, claim, { decidedAt: new Date(now).toISOString(), ...given });
}

/** The codes for which a payment with this claim is declined; empty if it is approved. */
async function codesOf(
  spender: Spender,
  claim: IntentClaim,
  given: Partial<CommitRequest> = {},
): Promise<string[]> {
  return (await decideIntent(ledger, presented(spender, claim, given))).codes;
}

function challenge(given: Partial<CommitRequest> = {}): Partial<CommitRequest> {
  return {
    decision: 'STEP_UP',
    reasonCodes: ['AMOUNT_STEP_UP'],
    stepUpExpiresAt: new Date(now + 300_000).toISOString(),
    ...given,
  };
}

function which(spender: Spender, { authorizationId }: CommitRequest) {
  return { tenant: spender, authorizationId };
}

test('a mandate without recurrence allows one live approval', async (t) => {
  const spender = newSpender();
  const { mandateKey } = claimOf();
  const first = presented(spender, claimOf({ mandateKey }));
  t.match(await decideIntent(ledger, first), { outcome: 'recorded', codes: [] });
  t.match(
    await handlers.Commit(first, call),
    { outcome: 'replayed' },
    'a retry is not a second use',
  );

  const second = presented(spender, claimOf({ mandateKey }));
  t.match(await handlers.Commit(second, call), {
    outcome: 'intent_differs',
    intentCodes: ['VI_MANDATE_CONSUMED'],
  });
  t.match(await decideIntent(ledger, second), { codes: ['VI_MANDATE_CONSUMED'] });
  t.equal(decisionOf(await handlers.Commit(second, call)), 'DECLINE', 'the use is recorded');

  const give = { ...which(spender, first), requestedBy: 'prn_test' };
  await handlers.Reverse({ ...give, amount: '4.00' }, call);
  t.same(
    await codesOf(spender, claimOf({ mandateKey })),
    ['VI_MANDATE_CONSUMED'],
    'partly reversed',
  );
  await handlers.Reverse(give, call);
  t.same(
    await codesOf(spender, claimOf({ mandateKey })),
    [],
    'a full reversal releases the mandate',
  );
});

test('only live approvals count towards occurrences and budget', async (t) => {
  const spender = newSpender();
  const terms = { ...claimOf(), maxOccurrences: '3', budgetMinor: '2500' };
  const next = () => ({ ...terms, nonce: claimOf().nonce });
  const first = presented(spender, next());
  await decideIntent(ledger, first);
  t.same(await codesOf(spender, next()), []);
  t.same(await codesOf(spender, next()), ['VI_BUDGET_EXCEEDED'], '30.00 of 25.00');
  const give = { ...which(spender, first), requestedBy: 'prn_test' };
  await handlers.Reverse({ ...give, amount: '5.00' }, call);
  t.same(await codesOf(spender, next()), [], 'the reversed part is available again');
  t.same(await codesOf(spender, next()), ['VI_BUDGET_EXCEEDED', 'VI_OCCURRENCES_EXCEEDED']);
  await handlers.Reverse(give, call);
  const small = { ...next(), amountMinor: '500' };
  t.same(await codesOf(spender, small, { amount: '5.00' }), []);
});

test('a budget and the number of uses can be used up exactly', async (t) => {
  const spender = newSpender();
  const terms = { ...claimOf(), maxOccurrences: '2', budgetMinor: '1500' };
  const next = (amountMinor: string) => ({ ...terms, nonce: claimOf().nonce, amountMinor });
  t.same(await codesOf(spender, next('1000')), []);
  const above = { amount: '5.01' };
  t.same(await codesOf(spender, next('501'), above), ['VI_BUDGET_EXCEEDED']);
  t.same(await codesOf(spender, next('500'), { amount: '5.00' }), []);
  t.same(await codesOf(spender, next('1'), { amount: '0.01' }), [
    'VI_BUDGET_EXCEEDED',
    'VI_OCCURRENCES_EXCEEDED',
  ]);
});

test('a presentation is accepted once, whatever the decision on it was', async (t) => {
  const spender = newSpender();
  const claim = claimOf();
  const declined = { decision: 'DECLINE', reasonCodes: ['AMOUNT_EXCEEDS_PER_TXN'] };
  t.match(await decideIntent(ledger, presented(spender, claim, declined)), { codes: [] });
  t.same(await codesOf(spender, claim), ['VI_NONCE_REPLAY']);
  const { nonce } = claim;
  t.same(
    await codesOf(spender, claimOf({ nonce, signerThumbprint: 'other' })),
    [],
    'nonces are scoped by signer',
  );
  t.same(
    await codesOf(spender, claimOf({ mandateKey: claim.mandateKey })),
    [],
    'no use is recorded',
  );

  const key = { idempotencyKey: 'order-00001' };
  const same = claimOf();
  await decideIntent(ledger, presented(spender, same, key));
  const again = presented(spender, same, key);
  t.equal(
    (await handlers.Commit(again, call)).outcome,
    'replayed',
    'the idempotency key is checked first',
  );
});

test('a presentation whose commit was rejected can be presented again', async (t) => {
  const spender = newSpender();
  const claim = claimOf();
  const limits = { dailyAmount: '5.00' };
  const refused = await handlers.Commit(presented(spender, claim, { limits }), call);
  t.equal(refused.outcome, 'limits_differ');
  t.same(await codesOf(spender, claim), []);
});

test('a challenge keeps its use of the mandate until it is denied or expires', async (t) => {
  const spender = newSpender();
  const { mandateKey } = claimOf();
  const asked = presented(spender, claimOf({ mandateKey }), challenge());
  await decideIntent(ledger, asked);
  t.same(await codesOf(spender, claimOf({ mandateKey })), ['VI_MANDATE_CONSUMED']);
  await handlers.DenyStepUp({ ...which(spender, asked), deniedBy: 'prn_test' }, call);
  const next = await decideIntent(ledger, presented(spender, claimOf({ mandateKey }), challenge()));
  t.same(next.codes, [], 'denied long before it would have expired');
  now += 299_999;
  t.same(await codesOf(spender, claimOf({ mandateKey })), ['VI_MANDATE_CONSUMED']);
  now += 1;
  t.same(await codesOf(spender, claimOf({ mandateKey })), []);
});

test('a use taken by another payment cannot be confirmed, despite clock skew', async (t) => {
  const slow = await world.start({ clock: () => now - 10_000 });
  const spender = newSpender();
  const { mandateKey } = claimOf();
  const asked = presented(spender, claimOf({ mandateKey }), challenge());
  await decideIntent(ledger, asked);
  now += 300_001;
  const other = presented(spender, claimOf({ mandateKey }));
  t.match(await decideIntent(ledger, other), { codes: [] });
  const confirm = { ...which(spender, asked), confirmedBy: 'prn_test' };
  t.match(await slow.handlers.ConfirmStepUp(confirm, callOf(slow)), {
    outcome: 'intent_differs',
    intentCodes: ['VI_MANDATE_CONSUMED'],
  });
  const open = presented(newSpender(), claimOf(), challenge());
  t.match(await decideIntent(ledger, open), { codes: [] }, 'another challenge is still open');
  t.match(await handlers.ConfirmStepUp(confirm, call), { outcome: 'expired' });
  await handlers.Reverse({ ...which(spender, other), requestedBy: 'prn_test' }, call);
  t.match(await slow.handlers.ConfirmStepUp(confirm, callOf(slow)), { outcome: 'confirmed' });
  t.same(await codesOf(spender, claimOf({ mandateKey })), ['VI_MANDATE_CONSUMED']);
});

test('the first verified approval or confirmed challenge binds its user', async (t) => {
  const spender = newSpender();
  const one = claimOf({ subject: 'one' });
  const asked = presented(spender, one, challenge());
  await decideIntent(ledger, asked);
  const unverified = { viVerified: false, ...challenge() };
  await decideIntent(ledger, presented(spender, claimOf({ subject: 'two' }), unverified));
  const { principalId } = spender;
  t.same(await handlers.ListIntentSubjects({ principalId }, call), { subjects: [] });
  await handlers.ConfirmStepUp({ ...which(spender, asked), confirmedBy: 'prn_test' }, call);
  t.match((await handlers.ListIntentSubjects({ principalId }, call)).subjects, [
    { subject: 'one', how: 'first_use', authorizationId: asked.authorizationId },
  ]);
  t.same(await codesOf(spender, claimOf({ subject: 'two' })), ['VI_SUBJECT_MISMATCH']);
  t.same(await codesOf(spender, claimOf({ subject: 'one' })), []);
  t.same(await codesOf(spender, claimOf({ subject: 'two', issuer: 'https://b.example' })), []);
  t.same(
    await codesOf(newSpender(), claimOf({ subject: 'two' })),
    [],
    'bound for this principal only',
  );
  const shown = claimOf({ subject: 'two' });
  t.same(await codesOf(spender, shown), ['VI_SUBJECT_MISMATCH']);
  t.same(await codesOf(newSpender(), shown), [], 'the bound user can still present it');
});

test('a chain that did not verify binds nobody, also when a human confirms', async (t) => {
  const spender = newSpender();
  const { principalId } = spender;
  const unverified = { viVerified: false };
  t.same(await codesOf(spender, claimOf({ subject: 'one' }), unverified), []);
  const asked = presented(spender, claimOf({ subject: 'two' }), { ...unverified, ...challenge() });
  await decideIntent(ledger, asked);
  const confirm = { ...which(spender, asked), confirmedBy: 'prn_test' };
  t.match(await handlers.ConfirmStepUp(confirm, call), { outcome: 'confirmed' });
  t.same(await handlers.ListIntentSubjects({ principalId }, call), { subjects: [] });
  t.same(await codesOf(spender, claimOf({ subject: 'three' })), [], 'the first verified one is');
});

test('an explicit issuer accepts only users that the operator registered', async (t) => {
  const spender = newSpender();
  const { principalId } = spender;
  const claim = (subject: string) => claimOf({ subject, subjectBinding: 'explicit' });
  t.same(await codesOf(spender, claim('one')), ['VI_SUBJECT_MISMATCH']);
  t.same(await codesOf(spender, claimOf({ subject: 'one' })), [], 'bound by its first use');
  t.same(
    await codesOf(spender, claim('one')),
    ['VI_SUBJECT_MISMATCH'],
    'which is not a registration',
  );
  const named = { principalId, issuer: claimOf().issuer };
  for (const subject of ['one', 'two']) {
    t.match(await handlers.PutIntentSubject({ ...named, subject }, call), { how: 'explicit' });
    t.same(await codesOf(spender, claim(subject)), []);
  }
  const elsewhere = 'https://b.example';
  t.same(
    await codesOf(spender, { ...claim('two'), issuer: elsewhere }),
    ['VI_SUBJECT_MISMATCH'],
    'whoever has that name with another issuer was not registered',
  );
  for (const another of [{ issuer: elsewhere }, { principalId: newSpender().principalId }]) {
    await handlers.DeleteIntentSubject({ ...named, subject: 'two', ...another }, call);
    t.same(await codesOf(spender, claim('two')), []);
  }
  await handlers.DeleteIntentSubject({ ...named, subject: 'two' }, call);
  t.same(await codesOf(spender, claim('two')), ['VI_SUBJECT_MISMATCH']);
  t.match(await handlers.ListIntentSubjects({ principalId }, call), {
    subjects: [{ subject: 'one', how: 'explicit' }],
  });
});

test('200 users of a principal are registered, however many others have', async (t) => {
  const spender = newSpender();
  const { principalId } = spender;
  const { issuer } = claimOf();
  await pool.query(
    `INSERT INTO intent_subject (principal_id, issuer, subject, how, bound_at)
     SELECT $1, $2, 'user-' || n, 'explicit', now() FROM generate_series(1, 199) n`,
    [principalId, issuer],
  );
  const put = (subject: string, by = principalId) =>
    handlers.PutIntentSubject({ principalId: by, issuer, subject }, call);
  t.match(await put('user-200'), { subject: 'user-200' });
  t.match(await faultOf(put('user-201')), { kind: 'conflict', code: 'CONFLICT' });
  t.match(await put('user-1'), { subject: 'user-1' }, 'registered already');
  t.match(await put('user-201', newSpender().principalId), { subject: 'user-201' });
  const last = { issuer: 'https://z.example', subject: 'bound by its first use' };
  t.same(await codesOf(spender, claimOf(last)), []);
  const { subjects } = await handlers.ListIntentSubjects({ principalId }, call);
  t.equal(subjects.length, 201);
  t.match(subjects.at(-1), last, 'nobody who may speak for the principal is left out');
});

test('a voided decision releases its use of the mandate', async (t) => {
  const spender = newSpender();
  const claim = claimOf();
  const approved = presented(spender, claim);
  await decideIntent(ledger, approved);
  const { mandateId: _mandate, limits: _limits, intent: _intent, ...payment } = approved;
  const { authorizationId, transactionId } = approved;
  const told = { authorizationId, transactionId, correlationKey: 'order', currency: 'USD' };
  const given: CommitRequest = {
    ...payment,
    decision: 'DECLINE',
    reasonCodes: ['SYSTEM_FAIL_SAFE'],
    answerTemplate: failSafeAnswer({ ...told, agentId: spender.agentId, processingTimeMs: 1 }),
    answerGiven: true,
  };
  t.equal((await handlers.Commit(given, call)).outcome, 'recorded');
  t.same(await codesOf(spender, claim), []);
  t.same(await codesOf(spender, claim), ['VI_NONCE_REPLAY', 'VI_MANDATE_CONSUMED'], 'once');
  await pool.query(
    `INSERT INTO system_void (authorization_id, answer, facts, answered_at, created_at)
     SELECT id, '{}', '{}', now(), now() FROM authorization_record
     WHERE principal_id = $1 AND 'VI_NONCE_REPLAY' = ANY (reason_codes)`,
    [spender.principalId],
  );
  const again = await codesOf(spender, claim);
  t.same(again, ['VI_NONCE_REPLAY', 'VI_MANDATE_CONSUMED'], 'a refused one frees nothing');
});

test('the chain is stored encrypted, and not in the record', async (t) => {
  const request = presented(newSpender(), claimOf());
  await decideIntent(ledger, request);
  const { rows } = await pool.query<{ sealed_chain: Buffer; sealed_by: string }>(
    'SELECT sealed_chain, sealed_by FROM intent_evidence WHERE authorization_id = $1',
    [request.authorizationId],
  );
  const [row] = rows;
  const sealed = { keyId: row?.sealed_by ?? '', bytes: row?.sealed_chain ?? Buffer.alloc(0) };
  const additionalData = `vi_chain ${request.authorizationId}`;
  t.equal(context.cipher.open(sealed, additionalData), request.intent?.chainJson);
  t.throws(() => context.cipher.open(sealed, 'vi_chain auth_other'));
  const { authorizationId } = request;
  t.match(await handlers.GetIntentEvidence({ authorizationId }, call), {
    chainJson: request.intent?.chainJson,
  });
  const none = { authorizationId: newSpender().agentId };
  t.match(await faultOf(handlers.GetIntentEvidence(none, call)), { code: 'NOT_FOUND' });
  t.notOk(sealed.bytes.includes('mandates~'));
  const unread = presented(newSpender(), undefined, {
    decision: 'DECLINE',
    reasonCodes: ['VI_CHAIN_MALFORMED'],
  });
  t.match(await decideIntent(ledger, unread), { outcome: 'recorded', codes: [] });
  const kept = 'SELECT count(*) FROM intent_evidence WHERE authorization_id = $1';
  t.equal(await count(ledger, kept, [unread.authorizationId]), 1, 'also if no mandate is used');
  const plain = proposalOf(newSpender(), { decidedAt: new Date(now).toISOString() });
  await handlers.Commit(plain, call);
  t.equal(await count(ledger, kept, [plain.authorizationId]), 0);
});

test('a claim with codes that do not match the state is rejected', async (t) => {
  const imagined = judgedBy(presented(newSpender(), claimOf()), ['VI_MANDATE_CONSUMED']);
  t.match(await handlers.Commit(imagined, call), { outcome: 'intent_differs', intentCodes: [] });
  const key = { idempotencyKey: 'order-of-another' };
  await handlers.Commit(presented(newSpender(), claimOf(), key), call);
  const spender = newSpender();
  const { mandateKey } = claimOf();
  t.same(await codesOf(spender, claimOf({ mandateKey })), []);
  t.match(
    await handlers.Commit(presented(spender, claimOf({ mandateKey }), key), call),
    { outcome: 'intent_differs', intentCodes: ['VI_MANDATE_CONSUMED'] },
    'also with a key that another principal has used',
  );
  const broken = presented(newSpender(), claimOf({ amountMinor: '1.5' }));
  t.match(await faultOf(handlers.Commit(broken, call)), { kind: 'internal' });
});

test('uses are append-only; nonces of expired presentations are deleted', async (t) => {
  const claim = claimOf({ nonceExpiresAt: new Date(now + 1_000).toISOString() });
  await decideIntent(ledger, presented(newSpender(), claim));
  const error = await pool.query('DELETE FROM intent_use').catch((thrown: unknown) => thrown);
  t.match(error, { message: /only appended/ });
  const known = 'SELECT count(*) FROM intent_nonce WHERE nonce = $1';
  const expire = (ago: string) =>
    pool.query('UPDATE intent_nonce SET expires_at = now() - $1::interval WHERE nonce = $2', [
      ago,
      claim.nonce,
    ]);
  await expire('4 minutes');
  await sweep(pool, nonceSweeps);
  t.equal(await count(ledger, known, [claim.nonce]), 1, 'not immediately, because clocks differ');
  await expire('6 minutes');
  t.ok((await sweep(pool, nonceSweeps)) > 0);
  t.equal(await count(ledger, known, [claim.nonce]), 0);
});

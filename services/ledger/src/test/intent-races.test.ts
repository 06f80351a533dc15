import { until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import { t as file, test } from 'tap';
import { decisionOf } from './answers.js';
import { asChallenge } from './challenge.js';
import {
  callOf,
  count,
  createWorld,
  type Ledger,
  newSpender,
  retryUnavailable,
  type Spender,
} from './fixture.js';
import { claimOf, decideIntent, presented } from './intent-fixture.js';

const world = await createWorld(file);
const replicas = [await world.start(), await world.start()] as const;
const [ledger] = replicas;

function replica(n: number): Ledger {
  return replicas[(n % 2) as 0 | 1];
}

/** With a separate mandate, so that its lock does not serialize them. */
function otherMandate({ clientId, principalId }: Spender): Spender {
  return newSpender({ clientId, principalId });
}

const atOnce = 24;
const rounds = 5;

test('of many concurrent uses of a single-use mandate one is approved', async (t) => {
  for (let round = 0; round < rounds; round += 1) {
    const spender = newSpender();
    const { mandateKey } = claimOf();
    const decided = await Promise.all(
      Array.from({ length: atOnce }, (_, n) =>
        decideIntent(replica(n), presented(otherMandate(spender), claimOf({ mandateKey }))),
      ),
    );
    const approved = decided.filter((answer) => decisionOf(answer) === 'APPROVE');
    t.equal(approved.length, 1, `round ${round}`);
    const declined = decided.filter(({ codes }) => codes.join() === 'VI_MANDATE_CONSUMED');
    t.equal(declined.length, atOnce - 1);
    const uses = 'SELECT count(*) FROM intent_use WHERE mandate_key = $1';
    t.equal(await count(ledger, uses, [mandateKey]), 1);
  }
});

test('concurrent approvals and confirmations do not exceed a budget', async (t) => {
  const live = `SELECT coalesce(sum(u.amount_minor), 0) FROM intent_use u
    JOIN authorization_record r ON r.id = u.authorization_id
    LEFT JOIN step_up_answer a ON a.authorization_id = r.id
    LEFT JOIN reversal v ON v.authorization_id = r.id
    WHERE u.mandate_key = $1 AND v.id IS NULL
      AND (r.decision = 'APPROVE' OR a.status = 'CONFIRMED')`;
  for (let round = 0; round < rounds; round += 1) {
    const spender = newSpender();
    const terms = { ...claimOf(), maxOccurrences: '100', budgetMinor: '9500' };
    const pay = async (n: number): Promise<void> => {
      const on = replica(n);
      const asks = n % 3 === 0;
      const request = presented(
        otherMandate(spender),
        {
          ...terms,
          nonce: `${round}-${n}`,
        },
        asks ? asChallenge() : {},
      );
      await decideIntent(on, request);
      const named = { tenant: spender, authorizationId: request.authorizationId };
      if (asks) {
        const confirmation = { ...named, confirmedBy: 'prn_test' };
        await retryUnavailable(() => on.handlers.ConfirmStepUp(confirmation, callOf(on)));
      }
      if (n % 5 === 0) {
        const reversal = { ...named, requestedBy: 'prn_test', reversalId: `${round}/${n}` };
        await retryUnavailable(() => on.handlers.Reverse(reversal, callOf(on)));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, (_, n) => pay(n)));
    const spent = await count(ledger, live, [terms.mandateKey]);
    t.ok(spent <= 9_500, `round ${round}: ${spent}`);
    t.ok(spent >= 5_000, 'most of it was spent');
    const counted = `SELECT spent_minor FROM live_intent_uses($1, '', now() + interval '1 hour')`;
    t.equal(await count(ledger, counted, [terms.mandateKey]), spent, 'the counted sum is the same');
  }
});

test('a presentation that is sent concurrently several times is accepted once', async (t) => {
  for (let round = 0; round < rounds; round += 1) {
    const spender = newSpender();
    const { nonce } = claimOf();
    const decided = await Promise.all(
      Array.from({ length: atOnce }, (_, n) =>
        decideIntent(replica(n), presented(otherMandate(spender), claimOf({ nonce }))),
      ),
    );
    const accepted = decided.filter(({ codes }) => !codes.includes('VI_NONCE_REPLAY'));
    t.equal(accepted.length, 1, `round ${round}`);
  }
});

const shared = [
  ['presentations of one nonce', { nonce: 'shown-twice' }, 'VI_NONCE_REPLAY'],
  ['uses of a single-use mandate', { mandateKey: 'used-twice' }, 'VI_MANDATE_CONSUMED'],
] as const;

for (const [what, claim, code] of shared) {
  test(`of two ${what} that commit at the same time one is accepted`, async (t) => {
    const spender = newSpender();
    // A user who is bound already: first uses wait for each other in any case.
    await decideIntent(ledger, presented(spender, claimOf()));
    // Whoever gets so far is blocked where it inserts its record, after all its reads.
    const { pool } = ledger.context.stores.live;
    const gate = await pool.connect();
    await gate.query('BEGIN; LOCK TABLE authorization_record IN SHARE ROW EXCLUSIVE MODE');
    const both = Promise.all(
      replicas.map((on) => decideIntent(on, presented(otherMandate(spender), claimOf(claim)))),
    );
    await until(async () => (await waitingForLocks(pool)) >= 2, { what: 'two that wait' });
    await gate.query('COMMIT');
    gate.release();
    const codes = (await both).map((each) => each.codes.join()).sort();
    t.same(codes, ['', code]);
  });
}

test('of two concurrent first users one is bound', async (t) => {
  for (let round = 0; round < rounds; round += 1) {
    const spender = newSpender();
    // A user of another issuer is bound already, who says nothing about this one.
    await decideIntent(ledger, presented(spender, claimOf({ issuer: 'https://b.example' })));
    const decided = await Promise.all(
      Array.from({ length: atOnce }, async (_, n) => {
        const subject = `user-${n % 4}`;
        const { codes } = await decideIntent(
          replica(n),
          presented(otherMandate(spender), claimOf({ subject })),
        );
        return codes.length === 0 ? subject : null;
      }),
    );
    const taken = new Set(decided.filter((subject) => subject !== null));
    t.equal(taken.size, 1, `round ${round}`);
  }
});

test('a first use waits for a registration that is under way', async (t) => {
  const spender = newSpender();
  const { principalId } = spender;
  const { issuer } = claimOf();
  const { pool } = ledger.context.stores.live;
  const waiting = () => waitingForLocks(pool);
  // The row that is to be registered: the registration waits until it is known not to be there.
  const gate = await pool.connect();
  await gate.query('BEGIN');
  await gate.query(
    `INSERT INTO intent_subject (principal_id, issuer, subject, how, bound_at)
     VALUES ($1, $2, 'registered', 'explicit', now())`,
    [principalId, issuer],
  );
  const subject = { principalId, issuer, subject: 'registered' };
  const registering = ledger.handlers.PutIntentSubject(subject, callOf(ledger));
  await until(async () => (await waiting()) >= 1, { what: 'the registration to wait' });
  const using = decideIntent(ledger, presented(spender, claimOf({ subject: 'another' })));
  await until(async () => (await waiting()) >= 2, { what: 'the first use to wait' });
  await gate.query('ROLLBACK');
  gate.release();
  t.match(await registering, subject);
  t.same((await using).codes, ['VI_SUBJECT_MISMATCH']);
});

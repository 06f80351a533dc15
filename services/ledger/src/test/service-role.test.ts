import { readFile } from 'node:fs/promises';
import { failSafeAnswer } from '@countersign/kernel/fail-safe';
import { newId } from '@countersign/kernel/id';
import { createPool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { until } from '@countersign/runtime/testing';
import { t as file, test } from 'tap';
import { extendChain } from '../chain/extend.js';
import { decisionOf } from './answers.js';
import { partsOf } from './chained.js';
import { asChallenge } from './challenge.js';
import { callOf, count, createWorld, newSpender, proposalOf } from './fixture.js';
import { claimOf, presented } from './intent-fixture.js';

const role = `ledger_service_${newId('event').slice(-8)}`;
const world = await createWorld(file);
const grants = await readFile(new URL('../../prisma/service-role.sql', import.meta.url), 'utf8');
await asOwner(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`, [world.urls.live]);
await asOwner(grants.replaceAll('ledger_service', role), Object.values(world.urls));
const ledger = await world.start({
  env: {
    DATABASE_URL_LIVE: asRole(world.urls.live),
    DATABASE_URL_SANDBOX: asRole(world.urls.sandbox),
  },
});
const { handlers } = ledger;
const { pool } = ledger.context.stores.live;
const call = callOf(ledger);

async function asOwner(sql: string, urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const owner = createPool({
      url,
      size: 1,
      log: createLog({ service: 'test', level: 'silent' }),
    });
    await owner.query(sql);
    await owner.end();
  }
}

function asRole(url: string): string {
  const address = new URL(url);
  address.username = role;
  address.password = role;
  return address.toString();
}

test('the service role is sufficient for everything that the ledger does', async (t) => {
  const spender = newSpender();
  const user = newSpender();
  const terms = { mandateKey: claimOf().mandateKey, maxOccurrences: '2' };
  const approved = proposalOf(spender);
  t.equal(decisionOf(await handlers.Commit(approved, call)), 'APPROVE');
  const challenge = proposalOf(spender, asChallenge());
  await handlers.Commit(challenge, call);
  const which = { tenant: spender, authorizationId: challenge.authorizationId };
  t.match(await handlers.ConfirmStepUp({ ...which, confirmedBy: 'prn_test' }, call), {
    outcome: 'confirmed',
  });
  t.match(await handlers.Reverse({ ...which, requestedBy: 'prn_test' }, call), { reversed: true });
  for (let uses = 0; uses < 2; uses += 1) {
    const used = await handlers.Commit(presented(user, claimOf(terms)), call);
    t.equal(decisionOf(used), 'APPROVE', 'with a chain');
  }
  await handlers.Fence({ entities: [{ entityId: newSpender().agentId, version: 2 }] }, call);
  const { mandateId: _mandate, limits: _limits, ...payment } = approved;
  const givenAnswer = await handlers.Commit(
    {
      ...payment,
      decision: 'DECLINE',
      reasonCodes: ['SYSTEM_FAIL_SAFE'],
      answerTemplate: failSafeAnswer({
        authorizationId: approved.authorizationId,
        transactionId: approved.transactionId,
        correlationKey: 'order-1',
        agentId: spender.agentId,
        currency: 'USD',
        processingTimeMs: 1,
      }),
      answerGiven: true,
    },
    call,
  );
  t.equal(givenAnswer.outcome, 'recorded', 'an unanswered approval is voided');
  const usage = await handlers.GetUsage(spender, call);
  t.match(usage, { dailyCount: 0, challengesFull: false });
  const chain = partsOf(ledger);
  await until(async () => ((await extendChain(chain)) ?? 0) > 0, { what: 'the chain' });
  await t.resolves(extendChain(chain), 'and checks its own heads');
  t.ok((await count(ledger, 'SELECT count(*) FROM chain_head')) > 0, 'and the chain is signed');
});

test('the service role can neither change records nor disable their protection', async (t) => {
  const refusals = [
    'UPDATE authorization_record SET amount = 1',
    'DELETE FROM authorization_record',
    'TRUNCATE authorization_record CASCADE',
    'DELETE FROM reversal',
    'UPDATE chain_entry SET seq = seq',
    'UPDATE intent_evidence SET sealed_by = sealed_by',
    'DELETE FROM intent_evidence',
    'ALTER TABLE authorization_record DISABLE TRIGGER append_only',
    'ALTER TABLE authorization_record DISABLE TRIGGER ALL',
    'DROP TRIGGER append_only ON authorization_record',
    'CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE sql AS $$ SELECT $$',
    'DROP TABLE reversal',
    'SET session_replication_role = replica',
  ];
  for (const sql of refusals) {
    t.equal((await pool.query(sql).catch((error) => error)).code, '42501', sql);
  }
});

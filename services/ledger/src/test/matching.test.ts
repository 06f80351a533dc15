import { isoTime } from '@countersign/kernel/clock';
import { newId } from '@countersign/kernel/id';
import type { OutcomeReportInput } from '@countersign/proto/ledger';
import { t as file, test } from 'tap';
import { callOf, createWorld, newSpender, proposalOf } from './fixture.js';

const world = await createWorld(file);
const ledger = await world.start();
const call = callOf(ledger);

test('of authorizations of one millisecond the first of the log is the newest', async (t) => {
  const decidedAt = isoTime(Date.now());
  const hash = `0x${'ab'.repeat(32)}`;
  const names = [
    { networkRrn: 'rrn' },
    { clientReference: 'order' },
    { txHash: '0xaa' },
    { txHash: hash },
    { networkRrn: 'rrn', appended: true },
    { txHash: hash, appended: true },
  ];
  for (const { appended, ...reference } of names) {
    const spender = newSpender();
    const record = (reports: OutcomeReportInput[]) =>
      ledger.handlers.RecordOutcomes({ tenant: spender, reports }, call);
    const report = (given: OutcomeReportInput): OutcomeReportInput => ({
      outcomeId: newId('outcome'),
      outcomeType: 'SETTLED',
      reportedAt: decidedAt,
      reportedBy: 'ISSUER',
      ...given,
    });
    for (let index = 0; index < 4; index += 1) {
      const given = { limits: null, decidedAt, ...(appended ? {} : reference) };
      const proposal = proposalOf(spender, given);
      await ledger.handlers.Commit(proposal, call);
      const { authorizationId } = proposal;
      if (appended) await record([report({ authorizationId, ...reference })]);
    }
    const asked = { tenant: spender, agentId: spender.agentId, page: { limit: 10 } };
    const { entries } = await ledger.handlers.ListAgentAuthorizations(asked, call);
    const { results } = await record([report({ ...reference, outcomeType: 'CLEARED' })]);
    const name = JSON.stringify({ ...reference, appended });
    t.equal(results[0]?.outcome?.authorizationId, entries[0]?.id, name);
  }
});

test('a value that was appended as a reference of another kind is not matched', async (t) => {
  const tenant = newSpender();
  const proposal = proposalOf(tenant);
  await ledger.handlers.Commit(proposal, call);
  const { authorizationId } = proposal;
  const hash = `0x${'cd'.repeat(32)}`;
  const statusOf = async (given: OutcomeReportInput) => {
    const report = { outcomeId: newId('outcome'), reportedAt: isoTime(Date.now()), ...given };
    const reports = [{ outcomeType: 'SETTLED', reportedBy: 'ISSUER', ...report }];
    return (await ledger.handlers.RecordOutcomes({ tenant, reports }, call)).results[0]?.status;
  };
  const values = { authCode: '123456', networkReference: hash };
  t.equal(await statusOf({ authorizationId, ...values }), 'created');
  for (const txHash of [hash, hash.replaceAll('cd', 'CD'), values.authCode]) {
    t.equal(await statusOf({ txHash }), 'not_found', txHash);
  }
  t.equal(await statusOf({ networkRrn: values.authCode }), 'not_found');
});

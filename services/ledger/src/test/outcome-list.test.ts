import { newId } from '@countersign/kernel/id';
import { t as file, test } from 'tap';
import { callOf, createWorld, newSpender, proposalOf } from './fixture.js';

const world = await createWorld(file);
let now = Date.now();
const ledger = await world.start({ clock: () => now });
const call = callOf(ledger);

test('outcomes are listed newest first, those of one moment by id, on pages too', async (t) => {
  const tenant = newSpender();
  const proposal = proposalOf(tenant, { decidedAt: new Date(now).toISOString() });
  await ledger.handlers.Commit(proposal, call);
  const { authorizationId } = proposal;
  const reportedAt = new Date(now).toISOString();
  const ids = Array.from({ length: 4 }, () => newId('outcome')).sort();
  const [first = '', second = '', third = '', fourth = ''] = ids;
  const moments = [
    { CHARGEBACK: fourth },
    { SETTLED: first, CLEARED: third },
    { MERCHANT_COMPLAINT: second },
  ];
  for (const outcomes of moments) {
    const reports = Object.entries(outcomes).map(([outcomeType, outcomeId]) => ({
      ...{ authorizationId, outcomeType, outcomeId, reportedAt, reportedBy: 'ISSUER' },
    }));
    await ledger.handlers.RecordOutcomes({ tenant, reports }, call);
    now += 1;
  }
  for (const limit of [1, 2, 3, 4]) {
    const listed: string[] = [];
    let after: { createdAt: string; id: string } | undefined;
    for (let more = true; more; ) {
      const page = { limit, ...(after && { after }) };
      const asked = { tenant, authorizationId, page };
      const { outcomes, hasMore } = await ledger.handlers.ListOutcomes(asked, call);
      listed.push(...outcomes.map(({ id }) => id));
      after = outcomes.at(-1);
      more = hasMore && listed.length <= ids.length;
    }
    t.same(listed, [second, third, first, fourth], `${limit} a page`);
  }
});

import { newId } from '@countersign/kernel/id';
import type { ListAuthorizationsRequest } from '@countersign/proto/ledger';
import { t as file, test } from 'tap';
import { callOf, createWorld, newSpender, proposalOf, type Spender } from './fixture.js';

const world = await createWorld(file);
let now = Date.now();
const ledger = await world.start({ clock: () => now });
const call = callOf(ledger);

interface Made {
  id: string;
  at: string;
  agentId: string | undefined;
  decision: string;
  reference: string | undefined;
  key: string;
}

interface Payment {
  key: string;
  decision: string;
  reference?: string | undefined;
  agentId?: string | undefined;
}

async function record(
  spender: Spender,
  { key, decision, reference, agentId }: Payment,
): Promise<Made> {
  const at = new Date(now).toISOString();
  const proposal = proposalOf(spender, {
    ...{ decidedAt: at, decision, agentId, amount: '1.00', idempotencyKey: key },
    ...(agentId === undefined && { mandateId: undefined }),
    ...(reference !== undefined && { clientReference: reference }),
    ...(decision === 'STEP_UP' && { stepUpExpiresAt: new Date(now + 300_000).toISOString() }),
    reasonCodes: decision === 'APPROVE' ? [] : ['AMOUNT_STEP_UP'],
  });
  const { outcome } = await ledger.handlers.Commit(proposal, call);
  if (outcome !== 'recorded') throw new Error(outcome);
  return { id: proposal.authorizationId, at, agentId, decision, reference, key };
}

/** All ids of a list, read in pages of the given size. */
async function listed(asked: Omit<ListAuthorizationsRequest, 'page'>, limit: number) {
  const ids: string[] = [];
  let after: { createdAt: string; id: string } | undefined;
  for (let more = true; more; ) {
    const page = { limit, ...(after && { after }) };
    const { entries, hasMore } = await ledger.handlers.ListAuthorizations({ ...asked, page }, call);
    ids.push(...entries.map(({ id }) => id));
    after = entries.at(-1);
    more = hasMore;
    if (ids.length > 1_000) throw new Error('the list does not end');
  }
  return ids;
}

function newestFirst(made: readonly Made[]): string[] {
  const order = ({ at, id }: Made) => `${at} ${id}`;
  return [...made].sort((a, b) => (order(a) < order(b) ? 1 : -1)).map(({ id }) => id);
}

const decisions = ['APPROVE', 'DECLINE', 'STEP_UP', 'APPROVE', 'APPROVE'];
const references = [undefined, 'order 1', 'order 2'];

/** Payments of several agents, and of none that is known; three of each moment. */
async function payments(spender: Spender, count: number): Promise<Made[]> {
  const agents = Array.from({ length: 6 }, () => newId('agent'));
  const made: Made[] = [];
  for (let n = 0; n < count; n += 1) {
    const decision = decisions[n % decisions.length] as string;
    const isUnknown = decision === 'DECLINE' && n % 2 === 0;
    const agentId = isUnknown ? undefined : agents[Math.floor(n / 5) % agents.length];
    const reference = references[n % references.length];
    made.push(await record(spender, { key: `key ${n}`, decision, reference, agentId }));
    if (n % 3 === 2) now += 1;
  }
  return made;
}

test('the log has every record once, newest first, as it is asked for', async (t) => {
  const spender = newSpender();
  const made = await payments(spender, 60);
  await payments(newSpender({ clientId: spender.clientId }), 6);
  const [from, until] = [made[20]?.at as string, made[44]?.at as string];
  const agentId = made[1]?.agentId as string;
  const asks: Array<[object, (one: Made) => boolean]> = [
    [{}, () => true],
    [{ agentId }, (one) => one.agentId === agentId],
    [{ clientReference: 'order 1' }, (one) => one.reference === 'order 1'],
    [{ firstDecision: 'DECLINE' }, (one) => one.decision === 'DECLINE'],
    [{ firstDecision: 'STEP_UP' }, (one) => one.decision === 'STEP_UP'],
    [
      { firstDecision: 'DECLINE', agentId },
      (one) => one.decision === 'DECLINE' && one.agentId === agentId,
    ],
    [{ idempotencyKey: 'key 7' }, (one) => one.key === 'key 7'],
    [{ agentId: newId('agent') }, () => false],
  ];
  const ranges: Array<[object, (one: Made) => boolean]> = [
    [{}, () => true],
    [{ from }, ({ at }) => at >= from],
    [{ until }, ({ at }) => at < until],
    [{ from, until }, ({ at }) => at >= from && at < until],
  ];
  for (const [asked, isAsked] of asks) {
    for (const [range, isWithin] of ranges) {
      const wanted = newestFirst(made.filter((one) => isAsked(one) && isWithin(one)));
      for (const limit of [1, 4, 100]) {
        const found = await listed({ tenant: spender, ...asked, ...range }, limit);
        t.same(found, wanted, JSON.stringify({ ...asked, ...range, limit }));
      }
    }
  }
});

test('an entry of the log is as it stands now, listed by what was decided first', async (t) => {
  const tenant = newSpender();
  const { id: authorizationId } = await record(tenant, {
    key: 'key',
    decision: 'STEP_UP',
    agentId: tenant.agentId,
  });
  await ledger.handlers.DenyStepUp({ tenant, authorizationId, deniedBy: 'prn_test' }, call);
  const asked = { tenant, firstDecision: 'STEP_UP', page: { limit: 1 } };
  const { entries } = await ledger.handlers.ListAuthorizations(asked, call);
  t.match(entries, [{ id: authorizationId, decision: 'DECLINE', stepUp: { status: 'DENIED' } }]);
});

import { newId } from '@countersign/kernel/id';
import { test } from 'tap';
import { ActingPrincipals } from './acting-principals.js';

test('a claim is settled in the time that is left, and in half a second at most', async (t) => {
  const principalId = newId('principal');
  const allowed: number[] = [];
  const ResolveActingPrincipal = async (_: unknown, { deadlineMs }: { deadlineMs: number }) => {
    allowed.push(deadlineMs);
    return { outcome: 'found', principalId };
  };
  const clients = { identity: { call: { ResolveActingPrincipal } } };
  const asking = { clientId: newId('client'), environment: 'live', requestId: 'req_1' } as const;
  const settle = (withinMs?: number) =>
    new ActingPrincipals(clients as never).claim(asking, principalId)?.settle(withinMs);
  for (const withinMs of [20, 499, 501, 0, -5, undefined]) await settle(withinMs);
  t.same(allowed, [20, 499, 500, 1, 1, 500]);
});

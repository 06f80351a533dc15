import { newId } from '@countersign/kernel/id';
import t, { test } from 'tap';
import { callOptions, faultOf, newTenant } from './settlement-service.js';
import { startWithUnreachableChain } from './unreachable-chain.js';

const { service, ledger, chain, contract } = await startWithUnreachableChain(t);
const { call } = service;

test('a settlement is shown to its own Principal alone', async (t) => {
  const tenant = newTenant();
  const authorizationId = ledger.authorize(tenant, { chain: chain.name, counterparty: contract });
  const request = {
    ...{ id: newId('settlement'), authorizationId, chain: chain.name },
    txHash: `0x${'1'.repeat(64)}`,
  };
  t.match(await call.ReportSettlement({ ...request, tenant }, callOptions), { created: true });
  const list = (by: typeof tenant) =>
    call.ListSettlements({ tenant: by, authorizationId }, callOptions);
  t.match((await list(tenant)).settlements, [{ id: request.id }]);
  const others = [
    [{ ...tenant, principalId: newId('principal') }, 'forbidden'],
    [newTenant(), 'not_found'],
  ] as const;
  for (const [by, kind] of others) {
    const again = call.ReportSettlement({ ...request, tenant: by }, callOptions);
    t.match(await faultOf(again), { kind: 'malformed', code: 'BAD_REQUEST' }, kind);
    t.match(await faultOf(list(by)), { kind });
  }
  const client = { ...tenant, clientId: newId('client') };
  t.same((await list(client)).settlements, [], 'named together with its Principal');
  const again = call.ReportSettlement({ ...request, tenant: client }, callOptions);
  t.match(await faultOf(again), { kind: 'malformed', code: 'BAD_REQUEST' });
});

test('a transaction that was reported before it is sent is kept from all others', async (t) => {
  const [payer, other] = [newTenant(), newTenant()];
  const payment = { chain: chain.name, counterparty: contract };
  const report = (tenant: typeof payer) => {
    const request = { id: newId('settlement'), tenant, txHash: `0x${'9'.repeat(64)}` };
    const authorizationId = ledger.authorize(tenant, payment);
    return call.ReportSettlement({ ...request, authorizationId, chain: chain.name }, callOptions);
  };
  t.match(await report(payer), { created: true });
  const message = /for another authorization; .* try again once it has been mined\.$/;
  t.match(await faultOf(report(other)), { kind: 'malformed', code: 'BAD_REQUEST', message });
});

test('a settlement has the currency of its payment and confirmations of its chain', async (t) => {
  const tenant = newTenant();
  const { name, confirmations: requiredConfirmations } = chain;
  const payment = { chain: name, counterparty: contract, currency: 'EUR' };
  const authorizationId = ledger.authorize(tenant, payment);
  const reported = { id: newId('settlement'), tenant, authorizationId, chain: name };
  const request = { ...reported, txHash: `0x${'2'.repeat(64)}` };
  const { settlement } = await call.ReportSettlement(request, callOptions);
  t.match(settlement, { status: 'SUBMITTED', requiredConfirmations });
  const rows = service.context.stores.sandbox.prisma.settlement;
  t.match(await rows.findUnique({ where: { id: reported.id } }), { currency: 'EUR' });
});

test('the settlements of an authorization are listed oldest first', async (t) => {
  const tenant = newTenant();
  const payment = { chain: chain.name, counterparty: contract };
  const authorizationId = ledger.authorize(tenant, payment);
  const ids = [newId('settlement'), newId('settlement'), newId('settlement')];
  for (const [nth, id] of ids.entries()) {
    const txHash = `0x${`${nth + 3}`.repeat(64)}`;
    const request = { id, tenant, authorizationId, chain: chain.name, txHash };
    await call.ReportSettlement(request, callOptions);
    const createdAt = new Date(Date.UTC(2026, 0, 10 - nth));
    await service.context.stores.sandbox.prisma.settlement.update({
      where: { id },
      data: { createdAt },
    });
  }
  const { settlements } = await call.ListSettlements({ tenant, authorizationId }, callOptions);
  t.same(
    settlements.map(({ id }) => id),
    ids.reverse(),
  );
});

import { newId } from '@countersign/kernel/id';
import t, { test } from 'tap';
import { callOptions, faultOf, newTenant } from './settlement-service.js';
import { startWithUnreachableChain } from './unreachable-chain.js';

const { service, ledger, chain, contract } = await startWithUnreachableChain(t);
const { pool } = service.context.stores.sandbox;
type Tenant = ReturnType<typeof newTenant>;

const authorize = (tenant: Tenant) =>
  ledger.authorize(tenant, { chain: chain.name, counterparty: contract });

function report(tenant: Tenant, authorizationId: string, nth: number) {
  const txHash = `0x${`${nth}`.padStart(64, '0')}`;
  const request = { id: newId('settlement'), tenant, authorizationId, txHash, chain: chain.name };
  return service.call.ReportSettlement(request, callOptions);
}

/** Reports that no node has seen, beside those that were made over the API. */
function insertUnseen(tenant: Tenant, count: number) {
  return pool.query(
    `INSERT INTO settlement (id, authorization_id, client_id, principal_id, chain, tx_hash, asset,
       counterparty, authorized_value, currency, required_confirmations, next_check_at, outcome_id,
       created_at)
     SELECT given.id, given.id, $1, $2, 'away-local', given.id, 'USDC', '0x5', 10, 'USD', 3, now(),
       given.id, now()
     FROM (SELECT $2 || '-' || nth AS id FROM generate_series(1, $3::int) AS nth) AS given`,
    [tenant.clientId, tenant.principalId, count],
  );
}

test('an authorization has at most 20 transactions that no node has seen', async (t) => {
  const tenant = newTenant();
  const authorizationId = authorize(tenant);
  for (let nth = 1; nth <= 20; nth += 1) await report(tenant, authorizationId, nth);
  const refused = {
    ...{ kind: 'exhausted', code: 'RATE_LIMITED' },
    message: /^20 transactions of this authorization .* not been seen/,
  };
  t.match(await faultOf(report(tenant, authorizationId, 21)), refused);
  t.match(await report(tenant, authorizationId, 20), { settlement: { status: 'SUBMITTED' } });
  t.match(await report(tenant, authorize(tenant), 22), { created: true }, 'of another');
  const see = `UPDATE settlement SET last_seen_at = now() WHERE id IN (
    SELECT id FROM settlement WHERE authorization_id = $1 LIMIT 1)`;
  await pool.query(see, [authorizationId]);
  t.match(await report(tenant, authorizationId, 21), { created: true }, 'one has been seen');
});

test('a Principal has at most 1000 of them, whatever others have', async (t) => {
  const [tenant, other] = [newTenant(), newTenant()];
  await insertUnseen(tenant, 999);
  t.match(await report(tenant, authorize(tenant), 31), { created: true });
  t.match(await faultOf(report(tenant, authorize(tenant), 32)), {
    ...{ kind: 'exhausted', code: 'RATE_LIMITED' },
    message: /^1000 transactions of this Principal .* not been seen/,
  });
  t.match(await report(other, authorize(other), 32), { created: true });
});

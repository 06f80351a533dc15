/** CountersignChainUnavailable expects that whatever is reported is looked at, and counted. */
import { newId } from '@countersign/kernel/id';
import { createTestDatabases } from '@countersign/runtime/testing';
import t, { test } from 'tap';
import { startEvmNode } from './evm-node.js';
import { callOptions, newTenant, startService } from './settlement-service.js';
import { startTestLedger } from './test-ledger.js';

const databases = await createTestDatabases('settlement');
const ledger = await startTestLedger();
const node = await startEvmNode();
const token = await node.deployToken();
const [, payer = '', shop = ''] = node.accounts;
const chain = {
  ...{ name: 'anvil', chain_id: 31337, rpc_urls: [node.url], confirmations: 3 },
  assets: { USDC: { contract: token, decimals: 6 } },
};
const env = { CHAINS_SANDBOX: JSON.stringify([chain]) };
const service = await startService({ urls: databases.urls, ledger: ledger.address, env });

t.teardown(async () => {
  await service.stop();
  await node.stop();
  await ledger.stop();
  await databases.drop();
});

test('the check of a transaction that is confirmed when it is reported is counted', async (t) => {
  const tenant = newTenant();
  const authorizationId = ledger.authorize(tenant, { counterparty: shop });
  const txHash = await node.transfer({ token, from: payer, to: shop, value: 10_000_000n });
  await node.mine(3);
  const request = { id: newId('settlement'), tenant, authorizationId, txHash, chain: 'anvil' };
  const { settlement } = await service.call.ReportSettlement(request, callOptions);
  t.equal(settlement?.status, 'SETTLED');
  const text = await service.context.metrics.registry.metrics();
  t.match(text, /^countersign_settlement_looks_total\{chain="anvil",status="SETTLED".*\} 1$/m);
  t.match(text, /^countersign_chain_head\{chain="anvil".*\} \d+$/m);
});

/** What the alerts of settlements watch. */
import { newId } from '@countersign/kernel/id';
import { createTestDatabases, until } from '@countersign/runtime/testing';
import t, { test } from 'tap';
import { startEvmNode } from './evm-node.js';
import { startRpcProxy } from './rpc-proxy.js';
import { callOptions, newTenant, startService } from './settlement-service.js';
import { startTestLedger } from './test-ledger.js';

const databases = await createTestDatabases('settlement');
const ledger = await startTestLedger();
const node = await startEvmNode();
const token = await node.deployToken();
const [, payer = '', shop = ''] = node.accounts;
const proxy = await startRpcProxy(node.url);
const chain = {
  ...{ name: 'anvil', chain_id: 31337, rpc_urls: [proxy.url], confirmations: 3 },
  assets: { USDC: { contract: token, decimals: 6 } },
};
const other = { ...chain, name: 'other-local' };
const env = { CHAINS_SANDBOX: JSON.stringify([chain, other]) };
const service = await startService({ urls: databases.urls, ledger: ledger.address, env });

t.teardown(async () => {
  await service.stop();
  await proxy.stop();
  await node.stop();
  await ledger.stop();
  await databases.drop();
});

const metrics = () => service.context.metrics.registry.metrics();

/** Reports a transfer with this many blocks on top of its own, and returns its status then. */
async function reportTransfer(blocks: number): Promise<string | undefined> {
  const tenant = newTenant();
  const authorizationId = ledger.authorize(tenant, { counterparty: shop });
  const txHash = await node.transfer({ token, from: payer, to: shop, value: 10_000_000n });
  await node.mine(blocks);
  const request = { id: newId('settlement'), tenant, authorizationId, txHash, chain: 'anvil' };
  const { settlement } = await service.call.ReportSettlement(request, callOptions);
  return settlement?.status;
}

test('the check of a transaction that is confirmed when it is reported is counted', async (t) => {
  t.equal(await reportTransfer(3), 'SETTLED');
  const text = await metrics();
  t.match(text, /^countersign_settlement_looks_total\{chain="anvil",status="SETTLED".*\} 1$/m);
  t.match(text, /^countersign_chain_head\{chain="anvil".*\} \d+$/m);
});

/** The chains that are reported as unavailable, once these are. */
const unavailable = (chains: string[]) => {
  const found = /^countersign_chain_unavailable\{environment="sandbox",chain="([^"]+)".*\} 1$/gm;
  const isSame = async () => {
    const names = [...(await metrics()).matchAll(found)].map(([, name]) => name);
    return names.join() === chains.join();
  };
  return until(isSame, { what: `the outage of ${chains.join() || 'none'}` });
};

test('a chain whose node fails after a report is unavailable until it answers', async () => {
  await unavailable([]);
  await reportTransfer(0);
  proxy.mode = 'failing';
  await unavailable(['anvil']);
  await service.context.stores.sandbox.pool.query(
    "UPDATE settlement SET next_check_at = now() + interval '1 day' WHERE status <> 'SETTLED'",
  );
  proxy.mode = 'forwarding';
  await unavailable([]);
});

import { createTestDatabases } from '@countersign/runtime/testing';
import type { Test } from 'tap';
import { startService } from './settlement-service.js';
import { startTestLedger } from './test-ledger.js';

const contract = `0x${'c'.repeat(40)}`;
const chain = {
  ...{ name: 'x-local', chain_id: 1, rpc_urls: ['http://127.0.0.1:1'], confirmations: 9 },
  assets: { USDC: { contract, decimals: 6 } },
};

/** A service whose only chain nobody can ask: what is reported stays as it was reported. */
export async function startWithUnreachableChain(t: Test) {
  const databases = await createTestDatabases('settlement');
  const ledger = await startTestLedger();
  const env = { CHAINS_SANDBOX: JSON.stringify([chain]) };
  const service = await startService({ urls: databases.urls, ledger: ledger.address, env });
  t.teardown(async () => {
    await service.stop();
    await ledger.stop();
    await databases.drop();
  });
  return { service, ledger, chain, contract };
}

import { test } from 'tap';
import type { Chain } from './chain.js';
import { readChains } from './chain-settings.js';
import { type ObservedSettlement, observe } from './observe.js';

const block = { number: 100n, hash: '0xaa' };
const contract = `0x${'c'.repeat(40)}`;
const otherContract = `0x${'d'.repeat(40)}`;
const [settings] = readChains([
  {
    ...{ name: 'x-local', chain_id: 1, rpc_urls: ['http://127.0.0.1:1'], confirmations: 3 },
    assets: {
      USDC: { contract, decimals: 6 },
      USDT: { contract: otherContract, decimals: 6 },
    },
  },
]);
if (!settings) throw new Error('no chain');
const moved = { contract, from: '0xaa', to: '0xbb', value: 5n };

/** A chain on which the transaction is mined, and transfers 5 base units of USDC. */
const chain = (over: Partial<Chain> = {}): Chain => ({
  isUnavailable: false,
  settings,
  head: async () => 102n,
  receipt: async () => ({ succeeded: true, block, transfers: [moved] }),
  isKnown: async () => false,
  hashAt: async () => block.hash,
  absentUntil: async () => null,
  ...over,
});
const row: ObservedSettlement = {
  ...{ txHash: '0x1', asset: 'USDC', counterparty: '0xbb' },
  ...{ authorizedValue: '1', settledElsewhere: '0' },
  ...{ authorizedFrom: null, fromAddress: null, toAddress: null, valueRaw: null },
  ...{ requiredConfirmations: 3, blockNumber: null, blockHash: null },
};
const at = (head: bigint, highest = head) => ({ head, highest });

test('an inconsistent observation is inconclusive', async (t) => {
  t.match(await observe(chain(), row, at(102n)), { kind: 'mined', confirmations: 3 });
  t.match(await observe(chain(), row, at(101n)), { kind: 'mined', confirmations: 2 });
  t.equal(await observe(chain(), row, at(99n)), null, 'a receipt above the head');
  const replaced = { hashAt: async () => '0xab' };
  const stale = chain(replaced);
  t.equal(await observe(stale, row, at(102n)), null, 'a block that is no longer canonical');
  t.match(await observe(stale, row, at(101n)), { kind: 'mined' }, 'not checked before it settles');
  const notFound = chain({ receipt: async () => null });
  t.equal(await observe(notFound, row, at(101n, 102n)), null, 'a node that lags behind');
  t.match(await observe(notFound, row, at(102n)), { kind: 'absent' });
  t.match(await observe(chain({ ...notFound, isKnown: async () => true }), row, at(102n)), {
    kind: 'waiting',
  });
  t.equal(await observe(chain(), { ...row, asset: 'EURC' }, at(102n)), null);
  const seen = { ...row, blockNumber: '100', blockHash: block.hash };
  t.equal(await observe(notFound, seen, at(102n)), null, 'its block is still there');
  const behind = chain({ ...notFound, hashAt: async () => null });
  t.equal(await observe(behind, seen, at(102n)), null, 'a node that answers for one with the head');
  t.match(await observe(behind, seen, at(99n)), { kind: 'absent' }, 'a chain that is shorter now');
  t.match(await observe(chain({ ...notFound, ...replaced }), seen, at(102n)), { kind: 'absent' });
});

async function resultOf(over: Partial<ObservedSettlement>) {
  const observed = await observe(chain(), { ...row, ...over }, at(102n));
  return observed?.kind === 'mined' ? observed.result : null;
}

const settles = { kind: 'transferred', transferredRaw: 5n };
const differs = { kind: 'failed', reason: 'TRANSFER_MISMATCH' };

test('a report can narrow the sender that was authorized, not replace it', async (t) => {
  t.same(await resultOf({ authorizedFrom: '0xAA', fromAddress: '0xaa' }), settles);
  t.same(await resultOf({ authorizedFrom: '0xcc', fromAddress: '0xaa' }), differs);
  t.same(await resultOf({ authorizedFrom: '0xaa', fromAddress: '0xcc' }), differs);
});

test('a transfer of one asset of a chain does not settle another', async (t) => {
  t.same(await resultOf({ asset: 'USDC' }), settles);
  t.same(await resultOf({ asset: 'USDT' }), differs);
});

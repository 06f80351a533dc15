import { test } from 'tap';
import type { Chain } from './chain.js';
import { readChains } from './chain-settings.js';
import { observe } from './observe.js';

const block = { number: 100n, hash: '0xaa' };

test('an inconsistent observation is inconclusive', async (t) => {
  const [settings] = readChains([
    {
      ...{ name: 'x-local', chain_id: 1, rpc_urls: ['http://127.0.0.1:1'], confirmations: 3 },
      assets: { USDC: { contract: `0x${'c'.repeat(40)}`, decimals: 6 } },
    },
  ]);
  if (!settings) throw new Error('no chain');
  const moved = { contract: `0x${'c'.repeat(40)}`, from: '0xaa', to: '0xbb', value: 5n };
  const chain = (over: Partial<Chain>): Chain => ({
    settings,
    head: async () => 102n,
    receipt: async () => ({ succeeded: true, block, transfers: [moved] }),
    isKnown: async () => false,
    isCanonical: async () => true,
    ...over,
  });
  const row = {
    ...{ txHash: '0x1', asset: 'USDC', counterparty: '0xbb' },
    ...{ authorizedValue: '1', settledElsewhere: '0' },
    ...{ authorizedFrom: null, fromAddress: null, toAddress: null, valueRaw: null },
    requiredConfirmations: 3,
  };
  const at = (head: bigint, highest = head) => ({ head, highest });
  t.match(await observe(chain({}), row, at(102n)), { kind: 'mined', confirmations: 3 });
  t.match(await observe(chain({}), row, at(101n)), { kind: 'mined', confirmations: 2 });
  t.equal(await observe(chain({}), row, at(99n)), null, 'a receipt above the head');
  const stale = chain({ isCanonical: async () => false });
  t.equal(await observe(stale, row, at(102n)), null, 'a block that is no longer canonical');
  t.match(await observe(stale, row, at(101n)), { kind: 'mined' }, 'not checked before it settles');
  const notFound = chain({ receipt: async () => null });
  t.equal(await observe(notFound, row, at(101n, 102n)), null, 'a node that lags behind');
  t.match(await observe(notFound, row, at(102n)), { kind: 'absent' });
  t.match(await observe(chain({ ...notFound, isKnown: async () => true }), row, at(102n)), {
    kind: 'waiting',
  });
  t.equal(await observe(chain({}), { ...row, asset: 'EURC' }, at(102n)), null);
});

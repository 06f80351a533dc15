import { inspect } from 'node:util';
import { test } from 'tap';
import { openChain } from './chain.js';
import { readChains } from './chain-settings.js';

test('the error of a failed node names its chain and not its URL', async (t) => {
  const [settings] = readChains([
    {
      name: 'far-local',
      chain_id: 1,
      rpc_urls: ['http://127.0.0.1:1/v3/key-in-the-path'],
      assets: { USDC: { contract: `0x${'1'.repeat(40)}`, decimals: 6 } },
    },
  ]);
  if (!settings) throw new Error('no chain');
  const error = await openChain(settings, 500)
    .head()
    .catch((failure: Error) => failure);
  t.match(error, { name: 'ChainUnavailable', message: /^far-local is unavailable: Http/ });
  t.notMatch(inspect(error, { depth: 9 }), /key-in-the-path/);
});

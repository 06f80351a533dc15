import { test } from 'tap';
import { assetOf, readChains } from './chain-settings.js';

const contract = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const chain = (over: object) => ({
  name: 'base',
  chain_id: 8453,
  rpc_urls: ['https://rpc.example'],
  assets: { USDC: { contract, decimals: 6 } },
  ...over,
});

test('chain settings are validated and get default confirmations', async (t) => {
  const confirmations = (name: string) => readChains([chain({ name })])[0]?.confirmations;
  t.same(
    ['base', 'ethereum', 'optimism', 'arbitrum', 'polygon', 'avalanche'].map(confirmations),
    [12, 12, 12, 40, 32, 3],
  );
  t.equal(confirmations('base-sepolia'), 1);
  t.match(readChains([chain({ confirmations: 7 })]), [{ chainId: 8453, confirmations: 7 }]);
  t.match(readChains([chain({})])[0]?.assets.get('USDC'), { contract: contract.toLowerCase() });
  const wrong: unknown[] = [
    {},
    [null],
    [chain({ name: 'Base' })],
    [chain({ name: 'unheard-of' })],
    [chain({ chain_id: '8453' })],
    [chain({ rpc_urls: [] })],
    [chain({ rpc_urls: ['ftp://x'] })],
    [chain({ confirmations: 0 })],
    [chain({ assets: {} })],
    [chain({ assets: { USDC: { contract: '0x1', decimals: 6 } } })],
    [chain({ assets: { USDC: { contract, decimals: 6.5 } } })],
    [chain({ assets: { USDC: { contract, decimals: -1 } } })],
    [chain({ assets: { USDC: { contract, decimals: 19 } } })],
    [chain({ assets: { USDC: { contract, decimals: 6 }, usdc: { contract, decimals: 6 } } })],
    [chain({}), chain({})],
  ];
  for (const value of wrong) t.throws(() => readChains(value), Error);
});

test('an asset is found in upper and lower case, with its configured symbol', async (t) => {
  const assets = { USDC: { contract, decimals: 6 }, wETH: { contract, decimals: 18 } };
  const [settings] = readChains([chain({ assets })]);
  const found = (symbol: string) => settings && assetOf(settings, symbol);
  for (const symbol of ['USDC', 'usdc', 'Usdc']) {
    t.match(found(symbol), { symbol: 'USDC', decimals: 6, contract: contract.toLowerCase() });
  }
  t.match(found('WETH'), { symbol: 'wETH', decimals: 18 });
  t.equal(found('USD'), null);
});

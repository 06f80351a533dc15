import { test } from 'tap';
import { isAccount, isAsset } from './caip.js';

const address = '0x52908400098527886E0F7030069857D2E4169EE7';

/** CAIP-2 ids as registered, and the contracts as Circle publishes them. */
const chains: Array<[chain: string, id: string, usdc: string | null]> = [
  ['ethereum', 'eip155:1', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
  ['optimism', 'eip155:10', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'],
  ['polygon', 'eip155:137', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'],
  ['base', 'eip155:8453', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
  ['arbitrum', 'eip155:42161', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'],
  ['base-sepolia', 'eip155:84532', null],
  ['sepolia', 'eip155:11155111', '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238'],
];
const contracts = chains.flatMap(([, , usdc]) => usdc ?? []);

test('an account is found on its own chain and on no other', (t) => {
  for (const [chain, id] of chains) {
    const of = chains.filter(([other]) => isAccount(`${id}:${address}`, other, address));
    t.same(
      of.map(([name]) => name),
      [chain],
      id,
    );
  }
  t.notOk(isAccount(`undefined:${address}`, 'unheard-of', address));
  t.end();
});

test('an asset is USDC where it names the contract of its own chain', (t) => {
  for (const [chain, id, usdc] of chains) {
    const found = contracts.filter((each) => isAsset(`${id}/erc20:${each}`, chain, 'USDC'));
    t.same(found, usdc === null ? [] : [usdc], chain);
    t.notOk(isAsset(`${id}/erc20:${usdc}`, chain, 'EURC'), `${chain}: and no other asset`);
  }
  t.end();
});

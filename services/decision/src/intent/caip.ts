import { isSameAsset } from '@countersign/kernel/currency';
import { comparedAddress } from '../rules/counterparty.js';

/** CAIP-2 ids of the chains, by the names that this service uses. */
const chainIds: ReadonlyMap<string, string> = new Map([
  ['ethereum', 'eip155:1'],
  ['optimism', 'eip155:10'],
  ['polygon', 'eip155:137'],
  ['base', 'eip155:8453'],
  ['arbitrum', 'eip155:42161'],
  ['base-sepolia', 'eip155:84532'],
  ['sepolia', 'eip155:11155111'],
]);

/** USDC contract addresses, as published by its issuer. */
const usdcContracts: ReadonlyMap<string, string> = new Map([
  ['ethereum', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
  ['optimism', '0x0b2c639c533813f4aa9d7837caf62653d097ff85'],
  ['polygon', '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359'],
  ['base', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'],
  ['arbitrum', '0xaf88d065e77c8cc2239327c5edb3a432268e5831'],
  ['sepolia', '0x1c7d4b196cb0c7b01d743fbc6116a902379c7238'],
]);

/** Whether a member of a credential is this address, on whatever chain. */
export function isAddress(value: unknown, address: string): boolean {
  return typeof value === 'string' && comparedAddress(value) === comparedAddress(address);
}

/**
 * Whether two texts are one address, account or asset, in the same notation. Like what is asked
 * for, they may differ in the case of an EVM address and of USDC.
 */
export function isSameOnChain(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return one === other;
  return isSameAsset(one, other) || compared(one) === compared(other);
}

/** The address is all of the text, or follows the last colon of a CAIP id. */
function compared(text: string): string {
  const start = text.lastIndexOf(':') + 1;
  return text.slice(0, start) + comparedAddress(text.slice(start));
}

/** Whether a CAIP-10 account is this address on this chain; false for an unknown chain. */
export function isAccount(account: unknown, chain: string, address: string): boolean {
  const id = chainIds.get(chain);
  if (typeof account !== 'string' || id === undefined) return false;
  const prefix = `${id}:`;
  if (!account.startsWith(prefix)) return false;
  return isAddress(account.slice(prefix.length), address);
}

/** Whether a CAIP-19 asset, or its plain symbol, is this asset on this chain. */
export function isAsset(asset: unknown, chain: string, symbol: string): boolean {
  if (typeof asset !== 'string') return false;
  if (isSameAsset(asset, symbol)) return true;
  const id = chainIds.get(chain);
  const contract = isSameAsset(symbol, 'USDC') ? usdcContracts.get(chain) : undefined;
  if (id === undefined || contract === undefined) return false;
  const prefix = `${id}/erc20:`;
  return asset.startsWith(prefix) && comparedAddress(asset.slice(prefix.length)) === contract;
}

import { isRecord } from '@countersign/kernel/is-record';

/** The configuration of a chain on which settlements are observed. */
export interface ChainSettings {
  name: string;
  chainId: number;
  rpcUrls: string[];
  /** The number of blocks, including its own, after which a transfer is settled. */
  confirmations: number;
  /** By symbol, of which no two differ only in case. */
  assets: ReadonlyMap<string, AssetSettings>;
}

export interface AssetSettings {
  /** Address of the ERC-20 contract, lower case. */
  contract: string;
  decimals: number;
}

export interface Asset extends AssetSettings {
  /** As it is configured. */
  symbol: string;
}

/** An asset of the chain by its symbol, which callers write in upper or lower case. */
export function assetOf({ assets }: Pick<ChainSettings, 'assets'>, symbol: string): Asset | null {
  const found = [...assets].find(([configured]) => isSameSymbol(configured, symbol));
  return found ? { symbol: found[0], ...found[1] } : null;
}

function isSameSymbol(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase();
}

const confirmationsByChain: Readonly<Record<string, number>> = {
  base: 12,
  ethereum: 12,
  optimism: 12,
  arbitrum: 40,
  polygon: 32,
  avalanche: 3,
};
const testNetwork = /(^|-)(sepolia|holesky|hoodi|amoy|fuji|testnet|devnet|local|anvil)(-|$)/;

/** Validates CHAINS_LIVE and CHAINS_SANDBOX. Throws an Error that names the invalid field. */
export function readChains(value: unknown): ChainSettings[] {
  if (!Array.isArray(value)) throw new Error('must be a JSON list of chains');
  const chains = value.map((item, index) => readChain(item, `chain ${index}`));
  const names = new Set(chains.map(({ name }) => name));
  if (names.size !== chains.length) throw new Error('lists a chain twice');
  return chains;
}

function readChain(value: unknown, where: string): ChainSettings {
  if (!isRecord(value)) throw new Error(`${where} must be an object`);
  const { name, chain_id: chainId, rpc_urls: rpcUrls, assets } = value;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_-]{0,63}$/.test(name)) {
    throw new Error(`${where}: name must be lower-case letters, digits, - and _`);
  }
  if (!isPositive(chainId)) throw new Error(`${name}: chain_id must be a positive integer`);
  const isUrl = (url: unknown): url is string =>
    typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!Array.isArray(rpcUrls) || rpcUrls.length === 0 || !rpcUrls.every(isUrl)) {
    throw new Error(`${name}: rpc_urls must be a list of http(s) addresses`);
  }
  const confirmations = value.confirmations ?? defaultConfirmations(name);
  if (!isPositive(confirmations)) {
    throw new Error(`${name}: confirmations must be a positive integer`);
  }
  return { name, chainId, rpcUrls, confirmations, assets: readAssets(assets, name) };
}

/** Undefined for other chains, whose confirmations must be configured. */
function defaultConfirmations(name: string): number | undefined {
  return confirmationsByChain[name] ?? (testNetwork.test(name) ? 1 : undefined);
}

function readAssets(value: unknown, chain: string): Map<string, AssetSettings> {
  if (!isRecord(value) || Object.keys(value).length === 0) {
    throw new Error(`${chain}: assets must name at least one asset`);
  }
  const symbols = Object.keys(value);
  const isTwice = symbols.some((symbol, index) =>
    symbols.slice(0, index).some((earlier) => isSameSymbol(earlier, symbol)),
  );
  if (isTwice) throw new Error(`${chain}: assets lists an asset twice`);
  return new Map(
    Object.entries(value).map(([asset, of]) => {
      const { contract, decimals } = isRecord(of) ? of : {};
      if (typeof contract !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(contract)) {
        throw new Error(`${chain}: ${asset}: contract must be an EVM address`);
      }
      if (!Number.isInteger(decimals) || Number(decimals) < 0 || Number(decimals) > 18) {
        throw new Error(`${chain}: ${asset}: decimals must be an integer from 0 to 18`);
      }
      return [asset, { contract: contract.toLowerCase(), decimals: Number(decimals) }];
    }),
  );
}

function isPositive(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

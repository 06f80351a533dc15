import { createPublicClient, erc20Abi, fallback, parseEventLogs } from 'viem';
import { chainNode, nullIfAbsent } from './chain-node.js';
import type { ChainSettings } from './chain-settings.js';
import type { Block } from './status.js';
import type { TransferLog } from './transfer.js';

/** The receipt of a mined transaction. */
export interface Receipt {
  succeeded: boolean;
  block: Block;
  transfers: TransferLog[];
}

export interface CanonicalBlock {
  hash: string;
  time: Date;
}

/** Read access to a chain. Each node request has a timeout; every method rejects if all fail. */
export interface Chain {
  settings: ChainSettings;
  head(): Promise<bigint>;
  /** Null while the transaction is not in a block. */
  receipt(hash: `0x${string}`): Promise<Receipt | null>;
  /** Whether a node knows the transaction, mined or not. */
  isKnown(hash: `0x${string}`): Promise<boolean>;
  /** The block of this number in the canonical chain now; null if there is none. */
  blockAt(number: bigint): Promise<CanonicalBlock | null>;
}

/** JSON-RPC with failover: if a node fails or times out, the next one is used. */
export function openChain(settings: ChainSettings, timeoutMs: number): Chain {
  const nodes = settings.rpcUrls.map((url) => chainNode(url, { settings, timeoutMs }));
  const client = createPublicClient({
    transport: fallback(nodes, { retryCount: 0 }),
    // By default the head would be cached between polls, and confirmations would lag behind.
    cacheTime: 0,
  });
  const orNull = <T>(request: Promise<T>) => nullIfAbsent(request, settings);
  return {
    settings,
    head: async () => (await orNull(client.getBlockNumber())) ?? 0n,
    async receipt(hash) {
      const receipt = await orNull(client.getTransactionReceipt({ hash }));
      if (!receipt) return null;
      const events = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs });
      return {
        succeeded: receipt.status === 'success',
        block: { number: receipt.blockNumber, hash: receipt.blockHash },
        transfers: events.map(({ address, args }) => ({ contract: address, ...args })),
      };
    },
    isKnown: async (hash) => (await orNull(client.getTransaction({ hash }))) !== null,
    async blockAt(number) {
      const block = await orNull(client.getBlock({ blockNumber: number }));
      return block && { hash: block.hash, time: new Date(Number(block.timestamp) * 1_000) };
    },
  };
}

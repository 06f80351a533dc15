import { createPublicClient, erc20Abi, fallback, http, parseEventLogs } from 'viem';
import type { ChainSettings } from './chain-settings.js';
import type { Block } from './status.js';
import type { TransferLog } from './transfer.js';

/** The receipt of a mined transaction. */
export interface Receipt {
  succeeded: boolean;
  block: Block;
  transfers: TransferLog[];
}

/** Read access to a chain. Each node request has a timeout; every method rejects if all fail. */
export interface Chain {
  settings: ChainSettings;
  head(): Promise<bigint>;
  /** Null while the transaction is not in a block. */
  receipt(hash: `0x${string}`): Promise<Receipt | null>;
  /** Whether a node knows the transaction, mined or not. */
  isKnown(hash: `0x${string}`): Promise<boolean>;
  /** Whether the block is part of the canonical chain now. */
  isCanonical(block: Block): Promise<boolean>;
}

/** The configured nodes serve a different chain. */
class ChainIdMismatch extends Error {
  constructor(settings: ChainSettings, actual: number) {
    super(`${settings.name} is chain ${settings.chainId}, but its nodes serve chain ${actual}`);
    this.name = 'ChainIdMismatch';
  }
}

/**
 * All nodes failed. The message names the chain and the kind of failure but not the request,
 * because the URL of a node often contains an API key.
 */
export class ChainUnavailable extends Error {
  constructor({ name }: ChainSettings, failure: unknown) {
    const { name: kind, status, code } = failure as Record<string, unknown>;
    super(`${name} is unavailable: ${[kind, status, code].filter(Boolean).join(' ')}`);
    this.name = 'ChainUnavailable';
  }
}

/** JSON-RPC with failover: if a node fails or times out, the next one is used. */
export function openChain(settings: ChainSettings, timeoutMs: number): Chain {
  const nodes = settings.rpcUrls.map((url) => http(url, { timeout: timeoutMs, retryCount: 0 }));
  const client = createPublicClient({
    transport: fallback(nodes, { retryCount: 0 }),
    // By default the head would be cached between polls, and confirmations would lag behind.
    cacheTime: 0,
  });
  const orNull = <T>(request: Promise<T>) => nullIfAbsent(request, settings);
  let isChainIdVerified = false;
  const assertChainId = async (): Promise<void> => {
    if (isChainIdVerified) return;
    const actual = await orNull(client.getChainId());
    if (actual !== settings.chainId) throw new ChainIdMismatch(settings, actual ?? 0);
    isChainIdVerified = true;
  };
  return {
    settings,
    async head() {
      await assertChainId();
      return (await orNull(client.getBlockNumber())) ?? 0n;
    },
    async receipt(hash) {
      await assertChainId();
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
    isCanonical: async ({ number, hash }) => {
      const block = await orNull(client.getBlock({ blockNumber: number }));
      return block?.hash === hash;
    },
  };
}

/** Null if the node reports "not found"; all other errors are failures of the node. */
async function nullIfAbsent<T>(request: Promise<T>, settings: ChainSettings): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof Error && absentErrors.has(error.name)) return null;
    throw new ChainUnavailable(settings, error);
  }
}

const absentErrors: ReadonlySet<string> = new Set([
  'TransactionNotFoundError',
  'TransactionReceiptNotFoundError',
  'BlockNotFoundError',
]);

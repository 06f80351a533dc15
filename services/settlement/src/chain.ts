import { createPublicClient, erc20Abi, fallback, http, parseEventLogs } from 'viem';
import type { ChainSettings } from './chain-settings.js';
import type { Block } from './status.js';
import type { TransferLog } from './transfer.js';

/** A transaction in a block. */
export interface Receipt {
  succeeded: boolean;
  block: Block;
  transfers: TransferLog[];
}

/** What is asked of a chain; every call ends by the deadline or rejects. */
export interface Chain {
  settings: ChainSettings;
  head(): Promise<bigint>;
  /** Null while it is in no block. */
  receipt(hash: `0x${string}`): Promise<Receipt | null>;
  /** Whether a node knows it, mined or not. */
  isKnown(hash: `0x${string}`): Promise<boolean>;
  /** Whether the block is part of the chain as it is now. */
  isCanonical(block: Block): Promise<boolean>;
}

/** Thrown where the nodes configured serve another chain than the one they are configured for. */
class WrongChain extends Error {
  constructor(settings: ChainSettings, actual: number) {
    super(`${settings.name} is chain ${settings.chainId}, but its nodes serve chain ${actual}`);
    this.name = 'WrongChain';
  }
}

/**
 * No node could be asked. Says which chain and what kind of failure, and nothing of the request:
 * the address of a node often has a key in it.
 */
export class ChainUnavailable extends Error {
  constructor({ name }: ChainSettings, failure: unknown) {
    const { name: kind, status, code } = failure as Record<string, unknown>;
    super(`${name} cannot be asked: ${[kind, status, code].filter(Boolean).join(' ')}`);
    this.name = 'ChainUnavailable';
  }
}

/** JSON-RPC over several nodes: one that fails or is slow is passed over for the next. */
export function openChain(settings: ChainSettings, timeoutMs: number): Chain {
  const nodes = settings.rpcUrls.map((url) => http(url, { timeout: timeoutMs, retryCount: 0 }));
  const client = createPublicClient({
    transport: fallback(nodes, { retryCount: 0 }),
    // Otherwise the head is remembered for the length of a poll, and confirmations lag behind.
    cacheTime: 0,
  });
  /** Not found is an answer; everything else is the failure of a node. */
  const ask = async <T>(question: Promise<T>): Promise<T | null> => {
    try {
      return await question;
    } catch (error) {
      if (error instanceof Error && absentErrors.has(error.name)) return null;
      throw new ChainUnavailable(settings, error);
    }
  };
  let identified = false;
  const assertIdentity = async (): Promise<void> => {
    if (identified) return;
    const actual = await ask(client.getChainId());
    if (actual !== settings.chainId) throw new WrongChain(settings, actual ?? 0);
    identified = true;
  };
  return {
    settings,
    async head() {
      await assertIdentity();
      return (await ask(client.getBlockNumber())) ?? 0n;
    },
    async receipt(hash) {
      await assertIdentity();
      const receipt = await ask(client.getTransactionReceipt({ hash }));
      if (!receipt) return null;
      const events = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs });
      return {
        succeeded: receipt.status === 'success',
        block: { number: receipt.blockNumber, hash: receipt.blockHash },
        transfers: events.map(({ address, args }) => ({ contract: address, ...args })),
      };
    },
    isKnown: async (hash) => (await ask(client.getTransaction({ hash }))) !== null,
    isCanonical: async ({ number, hash }) => {
      const block = await ask(client.getBlock({ blockNumber: number }));
      return block?.hash === hash;
    },
  };
}

const absentErrors: ReadonlySet<string> = new Set([
  'TransactionNotFoundError',
  'TransactionReceiptNotFoundError',
  'BlockNotFoundError',
]);

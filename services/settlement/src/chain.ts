import { createPublicClient, erc20Abi, type PublicClient, parseEventLogs } from 'viem';
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

/** Read access to a chain. Each node request has a timeout; every method rejects if all fail. */
export interface Chain {
  settings: ChainSettings;
  /** True from a failure to read the head until it is read again. */
  readonly isUnavailable: boolean;
  head(): Promise<bigint>;
  /** Null while the transaction is not in a block. */
  receipt(hash: `0x${string}`): Promise<Receipt | null>;
  /** Whether a node knows the transaction, mined or not. */
  isKnown(hash: `0x${string}`): Promise<boolean>;
  /** The hash of this block in the canonical chain now; null if there is none. */
  hashAt(number: bigint): Promise<string | null>;
  /**
   * The time of this block, from a node that has it and does not know the transaction. Null if the
   * node that answers knows the transaction, or lacks the block.
   */
  absentUntil(hash: `0x${string}`, number: bigint): Promise<Date | null>;
}

/**
 * JSON-RPC with failover: if a node fails or times out, the next one is asked everything that a
 * method asks, so that its result is that of one node.
 */
export function openChain(settings: ChainSettings, timeoutMs: number): Chain {
  const nodes = settings.rpcUrls.map((url) =>
    createPublicClient({
      transport: chainNode(url, { settings, timeoutMs }),
      // By default the head would be cached between polls, and confirmations would lag behind.
      cacheTime: 0,
    }),
  );
  const orNull = <T>(request: Promise<T>) => nullIfAbsent(request, settings);
  const blockOf = (node: PublicClient, blockNumber: bigint) =>
    orNull(node.getBlock({ blockNumber }));
  const known = (node: PublicClient, hash: `0x${string}`) => orNull(node.getTransaction({ hash }));
  let isUnavailable = false;
  return {
    settings,
    get isUnavailable() {
      return isUnavailable;
    },
    async head() {
      const head = firstOf(nodes, (node) => orNull(node.getBlockNumber()));
      isUnavailable = await head.then(
        () => false,
        () => true,
      );
      return (await head) ?? 0n;
    },
    async receipt(hash) {
      const receipt = await firstOf(nodes, (node) => orNull(node.getTransactionReceipt({ hash })));
      if (!receipt) return null;
      const events = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs });
      return {
        succeeded: receipt.status === 'success',
        block: { number: receipt.blockNumber, hash: receipt.blockHash },
        transfers: events.map(({ address, args }) => ({ contract: address, ...args })),
      };
    },
    isKnown: async (hash) => (await firstOf(nodes, (node) => known(node, hash))) !== null,
    hashAt: async (number) => (await firstOf(nodes, (node) => blockOf(node, number)))?.hash ?? null,
    absentUntil: (hash, number) =>
      firstOf(nodes, async (node) => {
        // In this order: a node that catches up may get the block between the two requests.
        const block = await blockOf(node, number);
        if (!block || (await known(node, hash))) return null;
        return new Date(Number(block.timestamp) * 1_000);
      }),
  };
}

/** The result of the first node that does not fail; rejects with the error of the last. */
async function firstOf<N, T>(nodes: readonly N[], ask: (node: N) => Promise<T>): Promise<T> {
  let failure: unknown;
  for (const node of nodes) {
    try {
      return await ask(node);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

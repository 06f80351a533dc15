import { createPublicClient, erc20Abi, parseEventLogs, type TransactionReceipt } from 'viem';
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
  const nodes = settings.rpcUrls.map((url) => openNode(url, settings, timeoutMs));
  let isUnavailable = false;
  return {
    settings,
    get isUnavailable() {
      return isUnavailable;
    },
    async head() {
      const head = firstOf(nodes, (node) => node.head());
      isUnavailable = await head.then(
        () => false,
        () => true,
      );
      return (await head) ?? 0n;
    },
    async receipt(hash) {
      const receipt = await firstOf(nodes, (node) => node.receipt(hash));
      return receipt && readReceipt(receipt);
    },
    isKnown: async (hash) => (await firstOf(nodes, (node) => node.transaction(hash))) !== null,
    hashAt: async (number) => (await firstOf(nodes, (node) => node.block(number)))?.hash ?? null,
    absentUntil: (hash, number) =>
      firstOf(nodes, async (node) => {
        // In this order: a node that catches up may get the block between the two requests.
        const block = await node.block(number);
        if (!block || (await node.transaction(hash))) return null;
        return new Date(Number(block.timestamp) * 1_000);
      }),
  };
}

/** What one node answers, or null where it answers that there is no such thing. */
function openNode(url: string, settings: ChainSettings, timeoutMs: number) {
  const client = createPublicClient({
    transport: chainNode(url, { settings, timeoutMs }),
    // By default the head would be cached between polls, and confirmations would lag behind.
    cacheTime: 0,
  });
  const orNull = <T>(request: Promise<T>) => nullIfAbsent(request, settings);
  return {
    head: () => orNull(client.getBlockNumber()),
    block: (blockNumber: bigint) => orNull(client.getBlock({ blockNumber })),
    transaction: (hash: `0x${string}`) => orNull(client.getTransaction({ hash })),
    receipt: (hash: `0x${string}`) => orNull(client.getTransactionReceipt({ hash })),
  };
}

function readReceipt({ status, blockNumber, blockHash, logs }: TransactionReceipt): Receipt {
  const events = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs });
  return {
    succeeded: status === 'success',
    block: { number: blockNumber, hash: blockHash },
    transfers: events.map(({ address, args }) => ({ contract: address, ...args })),
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

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { listening } from '@countersign/runtime/testing/listening';

export const token = `0x${'70'.repeat(20)}`;

interface Transfer {
  from: string;
  to: string;
  /** In base units. */
  value: bigint;
  reverted?: boolean;
}

/** A fake EVM node on loopback; tests determine the content of its blocks. */
export interface ChainNode {
  url: string;
  /** Adds a token transfer to the mempool; returns its hash. */
  send(transfer: Transfer): string;
  /** Mines one block with these transactions. */
  mine(...hashes: string[]): void;
  close(): Promise<void>;
}

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const hex = (value: number | bigint) => `0x${value.toString(16)}`;
const word = (value: string) => `0x${value.replace(/^0x/, '').padStart(64, '0')}`;
const blockHash = (height: number) => word(hex(height + 0xb10c));

export async function startChainNode(chainId: number): Promise<ChainNode> {
  let head = 1_000;
  const sent = new Map<string, Transfer & { block: number | null }>();
  const answers: Record<string, (of: string) => unknown> = {
    eth_chainId: () => hex(chainId),
    eth_blockNumber: () => hex(head),
    eth_getBlockByNumber: (height) => ({
      number: height,
      hash: blockHash(Number(height)),
      transactions: [],
    }),
    eth_getTransactionByHash: (hash) => (sent.has(hash) ? { hash, type: '0x2' } : null),
    eth_getTransactionReceipt: (hash) => {
      const transaction = sent.get(hash);
      return transaction ? receiptOf(hash, transaction) : null;
    },
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params = [] } = JSON.parse(Buffer.concat(chunks).toString());
    const result = answers[method]?.(params[0]);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: result ?? null }));
  });
  const { port, close } = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    send: (transfer) => {
      const hash = `0x${randomBytes(32).toString('hex')}`;
      sent.set(hash, { ...transfer, block: null });
      return hash;
    },
    mine: (...hashes) => {
      head += 1;
      for (const hash of hashes) {
        const transaction = sent.get(hash);
        if (transaction) transaction.block = head;
      }
    },
    close,
  };
}

function receiptOf(hash: string, transaction: Transfer & { block: number | null }): unknown {
  const { block, from, to, value, reverted = false } = transaction;
  if (block === null) return null;
  const place = { blockNumber: hex(block), blockHash: blockHash(block), transactionHash: hash };
  const topics = [transferTopic, word(from), word(to)];
  const log = { ...place, address: token, topics, data: word(hex(value)), logIndex: '0x0' };
  return { ...place, status: reverted ? '0x0' : '0x1', logs: reverted ? [] : [log] };
}
